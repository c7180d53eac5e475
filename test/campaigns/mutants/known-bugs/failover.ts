import { type Mutant } from '../mutant.js';

/** Failover, and marks that outlive their run. */
export const failover: readonly Mutant[] = [
  {
    threads: ['EJ523', 'EJ526'],
    name: 'dead-must-be-available',
    bug: 'Peers take over only if another instance of the dead instance’s server is available: never on another host.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/view/crashes.ts',
        find: 'const runnerDied = !isHeld && item.running && item.runningOn !== undefined && isDead(item.runningOn);',
        replace:
          'const runnerDied = item.running && item.runningOn !== undefined && isDead(item.runningOn) &&' +
          ' availableInstances(view).some(({ serverIp }) => item.runningOn?.startsWith(`${serverIp}@`));',
      },
    ],
  },
  {
    threads: ['EJ2090', 'EJ2161', 'EJ522'],
    name: 'assigned-is-as-good-as-running',
    bug: 'Whatever is assigned to an instance that goes is run again, though it was idle.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/view/crashes.ts',
        find: 'const runnerDied = !isHeld && item.running && item.runningOn !== undefined && isDead(item.runningOn);',
        replace: 'const runnerDied = item.owner !== undefined && isDead(item.owner);',
      },
    ],
  },
  {
    threads: ['EJ2090'],
    name: 'marks-die-with-their-instance',
    bug: 'Running marks vanish with the session, so peers cannot see that a run has died.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: "failsOver(view) ? 'persistent' : 'session'",
        replace: "'session'",
      },
    ],
  },
  {
    threads: ['EJ2429'],
    name: 'takeover-in-steps',
    bug: 'An instance that dies between claiming an item and beginning it leaves the item, and its marks, for good.',
    first: 'unit/kernel/marks/takeover-of-takeovers.spec.ts',
    edits: [
      {
        file: 'kernel/marks/takeover.ts',
        find: "      { type: 'create', path: path('running'), value: me },\n",
        replace: '',
      },
      {
        file: 'kernel/marks/takeover.ts',
        find: '      return await registry.commit(operations);\n',
        replace:
          '      await registry.commit(operations);\n' +
          '      const { paths, me } = this.#deps;\n' +
          "      const marks = items.map(({ item }) => ({ type: 'create', path: paths.item(item, 'running'), value: me }) as const);\n" +
          '      return await registry.commit(marks);\n',
      },
      {
        file: 'kernel/view/crashes.ts',
        find: 'const takerDied = item.failoveringBy !== undefined && isDead(item.failoveringBy);',
        replace: 'const takerDied = false;',
      },
    ],
  },
  {
    threads: [],
    name: 'takeover-is-forgotten-when-the-connection-breaks',
    bug: 'A peer was faster with one of several crashed items, the connection breaks, and the others count as running for ever.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/marks/takeover.ts',
        find: '      if (begun.length === 0) throw error;\n',
        replace: '      throw error;\n',
      },
    ],
  },
  {
    threads: ['EJ2429'],
    name: 'takeover-is-not-taken-over',
    bug: 'No instance notices that an instance has crashed while it ran an item that it had taken over.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/view/crashes.ts',
        find: 'if (!runnerDied && !claimDied && (!takerDied || isWaiting || isTaken)) return [];',
        replace: 'if (!runnerDied || takerDied) return [];',
      },
    ],
  },
  {
    threads: ['EJ2429'],
    name: 'failovering-stays',
    bug: 'A takeover that has ended leaves its failovering mark.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/view/held-items.ts',
        find: "const TAKEOVER_MARKS: readonly ItemMark[] = ['running', 'failover', 'failovering'];",
        replace: "const TAKEOVER_MARKS: readonly ItemMark[] = ['running', 'failover'];",
      },
    ],
  },
  {
    threads: ['EJ2429'],
    name: 'crash-is-an-event',
    bug: 'Only instances that see a crash happen report it: after the whole cluster’s death the marks stay for good.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/view/job-watch.ts',
        find: 'this.#javaPeers.remember(this.#withAllKeys(this.#withAllBegun(seen)));',
        replace: 'this.#ofThoseSeen(this.#withAllKeys(this.#withAllBegun(seen)));',
      },
      {
        file: 'kernel/view/job-watch.ts',
        find: '  #noteJavaOwners(',
        replace: `  readonly #seen = new Set<string>();
  #ofThoseSeen(view: JobView): JobView {
    for (const id of view.instances.keys()) this.#seen.add(id);
    const known = (id: string | undefined): string | undefined => (this.#seen.has(id ?? '') ? id : undefined);
    return { ...view, items: view.items.map((item) => ({ ...item, runningOn: known(item.runningOn) })) };
  }

  #noteJavaOwners(`,
      },
    ],
  },
  {
    threads: ['EJ2493'],
    name: 'failed-item-stays-marked',
    bug: 'An item that threw keeps its running mark, and is not run again.',
    first: 'unit/kernel/run/runs.spec.ts',
    edits: [
      {
        file: 'kernel/run/job-run.ts',
        find: '    await marks.removal.end(begun.item,',
        replace: "    if (outcome.type !== 'failed') await marks.removal.end(begun.item,",
      },
    ],
  },
  {
    threads: [],
    name: 'claim-is-not-removed',
    bug: 'A crashed item that was taken over still waits, and is taken over again.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/marks/takeover.ts',
        find: "{ type: 'remove', path: paths.crashedItem(item.item) },",
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'disabled-server-is-taken-over',
    bug: 'Items of a server that an operator has disabled are run again elsewhere.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/view/crashes.ts',
        find: "return id !== undefined && servers.get(ipOfInstanceId(id)) === 'DISABLED';",
        replace: 'return servers.size === 0 && id === undefined;',
      },
    ],
  },
  {
    threads: [],
    name: 'disabled-server-takes-over',
    bug: 'An instance whose server is disabled takes over what has crashed elsewhere.',
    first: 'unit/kernel/marks/takeover-of-takeovers.spec.ts',
    edits: [
      {
        file: 'kernel/view/crashes.ts',
        find: 'const idle = availableInstances(view)',
        replace: 'const idle = [...view.instances.values()]',
      },
    ],
  },
  {
    threads: [],
    name: 'servers-by-prefix',
    bug: '10.0.0.6 is taken for the server of 10.0.0.65.',
    first: 'unit/kernel/marks/takeover-of-takeovers.spec.ts',
    edits: [
      {
        file: 'kernel/view/crashes.ts',
        find: "servers.get(ipOfInstanceId(id)) === 'DISABLED'",
        replace: "[...servers].some(([ip, status]) => status === 'DISABLED' && id.startsWith(ip))",
      },
    ],
  },
  {
    threads: [],
    name: 'takeovers-one-after-the-other',
    bug: 'An instance takes over one crashed item at a time.',
    first: 'unit/kernel/marks/takeover-of-takeovers.spec.ts',
    edits: [
      {
        file: 'kernel/view/crashes.ts',
        find: 'const size = Math.ceil(claimable.length / idle.length);',
        replace: 'const size = 1;',
      },
    ],
  },
  {
    threads: [],
    name: 'owner-runs-what-is-taken-over',
    bug: 'An item that was taken over is not marked as running, and its owner runs it at the same time.',
    first: 'unit/kernel/marks/takeover-of-takeovers.spec.ts',
    edits: [
      {
        file: 'kernel/marks/takeover.ts',
        find: "      { type: 'create', path: path('running'), value: me },\n",
        replace: '',
      },
      {
        file: 'kernel/view/items.ts',
        find: 'return !running && takenOverBy === undefined && !busy.has(item);',
        replace: 'return !running && !busy.has(item);',
      },
      {
        file: 'kernel/view/held-items.ts',
        find: "const TAKEOVER_MARKS: readonly ItemMark[] = ['running', 'failover', 'failovering'];",
        replace: "const TAKEOVER_MARKS: readonly ItemMark[] = ['failover', 'failovering'];",
      },
    ],
  },
  {
    threads: [],
    name: 'takeover-starves-own-items',
    bug: 'An instance that runs an item it has taken over runs none of its own.',
    first: 'unit/kernel/marks/takeover-of-takeovers.spec.ts',
    edits: [
      {
        file: 'kernel/view/items.ts',
        find: '  if (ip === undefined) return { items: [], blocked: [], decidedOn: [] };',
        replace:
          '  if (ip === undefined || view.items.some(({ takenOverBy }) => takenOverBy === me)) return { items: [], blocked: [], decidedOn: [] };',
      },
    ],
  },
  {
    threads: ['EJ114'],
    name: 'takeover-with-the-token-of-the-assignment',
    bug: 'A takeover has no higher fencing token than the run that it replaces.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/marks/takeover.ts',
        find: 'for (const { run } of claims) begun.push({ ...run, fencingToken });',
        replace: 'for (const { run, item } of claims) begun.push({ ...run, fencingToken: item.ownerRevision });',
      },
    ],
  },
  {
    threads: [],
    name: 'run-rerun-by-a-peer-is-forgotten',
    bug: 'An instance that ended a run makes it again, if a peer took the run for crashed meanwhile and died.',
    first: 'unit/kernel/marks/crash-reports.spec.ts',
    edits: [
      {
        file: 'kernel/marks/mark-removal.ts',
        find: "if (hasEnded && isRerunByPeer && marked.instant !== undefined) marked.state = 'rerun-by-peer';\n    else this.#held.unmark(item);",
        replace: 'this.#held.unmark(item);',
      },
    ],
  },
  {
    threads: [],
    name: 'takeover-outlives-its-latch',
    bug: 'Beside Java, an instance keeps what it took over while the latch was lost with the connection.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/marks/takeover.ts',
        find: 'AbortSignal.any([signal, held])',
        replace: 'signal',
      },
    ],
  },
];
