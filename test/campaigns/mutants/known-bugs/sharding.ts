import { type Mutant } from '../mutant.js';

/** Leading and assigning. */
export const sharding: readonly Mutant[] = [
  {
    threads: [],
    name: 'lost-answer-hides-an-outdated-assignment',
    bug: 'The answer to an assignment is lost, the instance that it left out is back, and the leader thinks that the one before still holds.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/writes/leadership.ts',
        find: '      if (isOutcomeUnknown(error)) this.#assignedFor = undefined;\n',
        replace: '',
      },
    ],
  },
  {
    threads: ['EJ2449'],
    name: 'new-leader-asks-for-nothing',
    bug: 'The leader dies, and the next leader leaves the dead one its items.',
    first: 'unit/kernel/writes/sharding.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: "if (assignedFor === undefined) return 'there is a new leader, or the answer to its last assignment was lost';",
        replace: 'if (assignedFor === undefined) return undefined;',
      },
    ],
  },
  {
    threads: [],
    name: 'removal-without-end',
    bug: 'Instances make at once what an operator removes node by node, and the removal never comes to its end.',
    first: 'unit/kernel/writes/node-by-node.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: "(lacksOwnNodes(input) && local.removalWait === 'over')",
        replace: 'lacksOwnNodes(input)',
      },
    ],
  },
  {
    threads: [],
    name: 'removed-items-come-back-at-once',
    bug: 'The leader assigns items at once that an operator removes with their job.',
    first: 'unit/kernel/writes/node-by-node.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: "if (wereItemsRemoved(input) && local.removalWait !== 'over') return undefined;",
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'disabled-leader-leaves-no-request',
    bug: 'A leader whose server is disabled leads no more, and no instance asks for its items to be assigned.',
    first: 'unit/kernel/beside-java.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: "return isWanted && !staysAsAssigned(now) ? 'assignment' : 'nothing';",
        replace: "return isWanted && staysAsAssigned(now) ? 'assignment' : 'nothing';",
      },
    ],
  },
  {
    threads: ['EJ1840'],
    name: 'only-departures-count',
    bug: 'An instance that joins gets no items.',
    first: 'unit/kernel/writes/sharding.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: 'if (assignedFor.basis !== assignmentBasis(now)) return',
        replace:
          "const still = assignmentBasis(now).split('\\n');\n" +
          "  if (assignedFor.basis.split('\\n').some((each) => !still.includes(each))) return",
      },
    ],
  },
  {
    threads: ['EJ1840', 'EJ778'],
    name: 'request-is-absorbed',
    bug: 'The leader takes an instance that joins while it assigns the items for one that it has considered.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/writes/assignment.ts',
        find: 'basis: assignmentBasis(view),',
        replace: 'basis: assignmentBasis(await watch.sync()),',
      },
    ],
  },
  {
    threads: ['EJ1471'],
    name: 'waits-for-what-has-happened',
    bug: 'An instance waits for an assignment that was made before it began to wait.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/run/item-choice.ts',
        find: '  #assignedView(): Promise<JobView> {\n    const { watch, paths } = this.#deps;\n    return watch.until(isDecided, {',
        replace:
          '  async #assignedView(): Promise<JobView> {\n    const { watch, paths } = this.#deps;\n' +
          '    if (isDecided(watch.view)) return watch.view;\n' +
          '    await watch.sync();\n' +
          '    const seen = watch.view;\n' +
          '    return watch.until((view) => view !== seen && isDecided(view), {',
      },
    ],
  },
  {
    threads: ['EJ2488'],
    name: 'lost-answer-is-success',
    bug: 'The answer to an assignment is lost, the leader takes it for made, and all instances wait without end.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/writes/assignment.ts',
        find: '      await registry.commit(whole);\n',
        replace: '      await registry.commit(whole).catch(() => undefined);\n',
      },
      {
        file: 'kernel/rules/plan.ts',
        find: 'if (now.leader !== me || !now.reshardingNeeded || now.config === undefined) return undefined;',
        replace:
          'if (now.leader !== me || !now.reshardingNeeded || now.config === undefined) return undefined;\n' +
          '  if (local.assignedFor?.basis === assignmentBasis(now)) return undefined;',
      },
    ],
  },
  {
    threads: ['EJ2488'],
    name: 'lost-begin-is-failure',
    bug: 'The answer to a begin is lost and taken for a refusal: what was marked is never run.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: 'if (isOutcomeUnknown(error)) return this.wasMarked(items, signal);',
        replace:
          'if (isOutcomeUnknown(error)) {\n        await whenConnected(this.#deps.registry.session, signal);\n        return undefined;\n      }',
      },
    ],
  },
  {
    threads: ['EJ2488'],
    name: 'lost-begin-is-success',
    bug: 'The answer to a begin is lost and taken for success: what is not marked is run.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: 'return node?.value === me ? node.revision : undefined;',
        replace: 'return node?.revision ?? 1;',
      },
    ],
  },
  {
    threads: ['EJ2038'],
    name: 'trigger-blocks-the-control-lane',
    bug: 'While a triggered run lasts, its instance notices nothing.',
    first: 'unit/kernel/lanes/control-lane.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/control-lane.ts',
        find: "work.start({ cause: 'manual', instant: undefined, jobParameter, ...(!isForAll && { items }) });",
        replace:
          "work.start({ cause: 'manual', instant: undefined, jobParameter, ...(!isForAll && { items }) }); await work.end('the lane waits for it', 3_600_000);",
      },
    ],
  },
  {
    threads: ['EJ661', 'EJ730'],
    name: 'election-blocks-the-control-lane',
    bug: 'While an instance that has died holds the election latch, its peers do nothing at all.',
    first: 'unit/kernel/lanes/control-lane.spec.ts',
    edits: [
      {
        file: 'kernel/writes/leadership.ts',
        find: 'campaignSoon(): void {',
        replace: 'async campaignSoon(): Promise<void> {',
      },
      {
        file: 'kernel/writes/leadership.ts',
        find: '    this.#campaign()\n',
        replace: '    await this.#campaign()\n',
      },
    ],
  },
  {
    threads: ['EJ661', 'EJ731'],
    name: 'elects-once',
    bug: 'An instance that could not stand for election once never does again.',
    first: 'unit/kernel/lanes/control-lane.spec.ts',
    edits: [
      {
        file: 'kernel/writes/leadership.ts',
        find: "timers.setRetry('election', requestReconcile);",
        replace: "timers.set('election', Infinity, requestReconcile);",
      },
    ],
  },
  {
    threads: ['EJ49', 'EJ2113'],
    name: 'one-firing-at-a-time',
    bug: 'A slow item keeps the others of its instance from their next firing.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: "const isFree = this.isIdle || runPolicyOf(this.#deps.configuration()).overlap === 'by-item';",
        replace: 'const isFree = this.isIdle;',
      },
    ],
  },
  {
    threads: ['EJ2493', 'EJ2113'],
    name: 'all-or-none',
    bug: 'If one item of an instance is still running, none of the others is run.',
    first: 'unit/kernel/lanes/misfire.spec.ts',
    edits: [
      {
        file: 'kernel/view/items.ts',
        find: "if (view.servers.get(ip) === 'ENABLED') return { items: [...free], blocked, decidedOn };",
        replace:
          "if (view.servers.get(ip) === 'ENABLED') return { items: blocked.length === 0 ? due : [], blocked: blocked.length === 0 ? [] : due, decidedOn };",
      },
    ],
  },
  {
    threads: ['EJ717', 'EJ1754'],
    name: 'no-deadline-for-idle-items',
    bug: 'Assigning waits for running items for as long as they run.',
    first: 'unit/kernel/run/runs.spec.ts',
    edits: [
      {
        file: 'kernel/writes/leadership.ts',
        find: "return this.#deps.deadlines.state('idle-items-deadline') === 'over' &&",
        replace: "return this.#deps.deadlines.state('idle-items-deadline') === 'none' &&",
      },
    ],
  },
  {
    threads: ['EJ778'],
    name: 'running-items-move',
    bug: 'An item moves to another instance while it runs.',
    first: 'unit/kernel/run/runs.spec.ts',
    edits: [
      {
        file: 'kernel/writes/assignment.ts',
        find: 'const pinned = pinnedItems(view, owners.size).filter(',
        replace: 'const pinned = pinnedItems(view, 0).filter(',
      },
    ],
  },
  {
    threads: [],
    name: 'returning-item-runs-the-past',
    bug: 'An item that comes back when the number of items is raised again runs for an instant at which it did not exist.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/writes/assignment.ts',
        find: '      ...(await this.#readdedRecord()),\n',
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'returning-item-joins-a-standing-request',
    bug: 'An item that comes back while an assignment is already asked for runs for an instant at which it did not exist.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: "  if (local.readdedHandledForRevision !== now.configRevision) return { type: 'mark-readded-as-not-due' };\n",
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'parts-without-a-fence',
    bug: 'Two instances that both believe to lead write an assignment in parts, and a mixture of both is left.',
    first: 'unit/kernel/writes/assigning-in-parts.spec.ts',
    edits: [
      {
        file: 'kernel/writes/assignment.ts',
        find: "      versioned({ type: 'set', path: paths.resharding, value: '' }, version),\n",
        replace: '',
      },
      {
        file: 'kernel/writes/assignment.ts',
        find: '      if (version !== undefined) version++;\n',
        replace: '',
      },
    ],
  },
  {
    threads: ['EJ2194'],
    name: 'begins-by-an-old-assignment',
    bug: 'A run begins by an assignment that is not the present one.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: "{ type: 'check', path: paths.sharding, ...(shardingVersion !== undefined && { version: shardingVersion }) },",
        replace: "{ type: 'check', path: paths.sharding },",
      },
    ],
  },
  {
    threads: ['EJ2241'],
    name: 'servers-stay',
    bug: 'Servers that never come back stay on record.',
    first: 'unit/kernel/writes/housekeeping.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: "return cleanupOwner(now) === me && ips.length > 0 ? { type: 'remove-servers', ips } : undefined;",
        replace: "return cleanupOwner(now) === me && ips.length < 0 ? { type: 'remove-servers', ips } : undefined;",
      },
    ],
  },
  {
    threads: [],
    name: 'starting-servers-are-removed',
    bug: 'A server whose instance is just starting is removed.',
    first: 'unit/kernel/writes/housekeeping.spec.ts',
    edits: [
      {
        file: 'kernel/writes/housekeeping.ts',
        find: 'this.#offlineServers = empty.filter((ip) => this.#emptyServers.includes(ip));',
        replace: 'this.#offlineServers = empty;',
      },
    ],
  },
  {
    threads: [],
    name: 'reconciles-once',
    bug: 'Reconciling ends for good after the first time.',
    first: 'unit/kernel/writes/housekeeping.spec.ts',
    edits: [
      {
        file: 'async/named-timers.ts',
        find: '    const cancel = this.#clock.after(delayMs, () => {\n      this.#cancels.delete(name);',
        replace:
          "    const cancel = this.#clock.after(delayMs, () => {\n      if (name !== 'resync') this.#cancels.delete(name);",
      },
    ],
  },
  {
    threads: [],
    name: 'leads-after-its-end',
    bug: 'A job that is shut down during its election leads for as long as its process lives.',
    first: 'unit/kernel/life/shutdown.spec.ts',
    edits: [
      {
        file: 'kernel/writes/leadership.ts',
        find: 'if (!won || this.#deps.isStanding()) return won;',
        replace: "if (!won || me !== '') return won;",
      },
    ],
  },
  {
    threads: [],
    name: 'idle-items-leave-with-the-busy',
    bug: 'An instance that stops keeps its idle items until the last running one has ended.',
    first: 'unit/kernel/life/shutdown-handover.spec.ts',
    edits: [
      {
        file: 'kernel/job-runtime.ts',
        find: '      if (work?.isIdle === false) await registration?.announceLeaving(this.configuration);\n',
        replace: '',
      },
    ],
  },
];
