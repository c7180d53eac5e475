import { type Mutant } from '../mutant.js';

/** Sessions that are interrupted or lost, and starts. */
export const sessions: readonly Mutant[] = [
  {
    threads: ['EJ687'],
    name: 'registers-again-in-the-same-session',
    bug: 'After a short interruption an instance removes its node and creates it again, which its peers take for its death.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/job-runtime.ts',
        find: '    if (registration.session === state.id) await watch.sync();\n',
        replace:
          '    if (registration.session === state.id) {\n      await watch.sync();\n' +
          '      for (const path of [this.#paths.live(components.me), this.#paths.instance(components.me)]) {\n' +
          '        const value = await registry.get(path);\n        await registry.remove(path);\n' +
          "        await registry.create(path, value ?? '', 'session');\n      }\n      await watch.sync();\n    }\n",
      },
    ],
  },
  {
    threads: [],
    name: 'registered-in-a-session-that-is-gone',
    bug: 'An instance that is frozen while it registers takes the end of its session for an order to end the job.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/writes/registration.ts',
        find: 'session === undefined || liveSessionId(registry.session.state) !== session',
        replace: 'session === undefined',
      },
    ],
  },
  {
    threads: [],
    name: 'sends-again-what-nobody-waits-for',
    bug: 'Commits of several jobs are refused together after their deadline, and are sent again although their askers have read that they were not carried out: a firing is lost or run twice.',
    first: 'zookeeper/registry-center/grouped-commits.spec.ts',
    edits: [
      {
        file: 'registry/zookeeper/grouped-requests.ts',
        find: 'else if (isAwaited()) this.#transport',
        replace: 'else if (true) this.#transport',
      },
    ],
  },
  {
    threads: [],
    name: 'marks-removed-on-return',
    bug: 'After a short interruption an instance removes the marks of what it is still running.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/job-runtime.ts',
        find: '    if (registration.session === state.id) await watch.sync();\n',
        replace:
          '    if (registration.session === state.id) {\n      await watch.sync();\n      await components.marks.clearAll();\n    }\n',
      },
    ],
  },
  {
    threads: ['EJ114'],
    name: 'former-session-begins-late',
    bug: 'A run that was asked for before the session was lost begins after the instance is back with another one.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/writes/registration.ts',
        find: "    else if (operations.length > 0 && occasion === 'return')\n      operations.push({ type: 'set', path, value: rewritten(record.value ?? ''), version: record.version });\n",
        replace: '',
      },
    ],
  },
  {
    threads: ['EJ114', 'EJ190', 'EJ1549'],
    name: 'runs-on-without-its-session',
    bug: 'Items that run get no signal that the session is lost and that peers are about to run them.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: '    for (const run of this.#runs.keys()) run.abort(reason);\n',
        replace: '',
      },
    ],
  },
  {
    threads: ['EJ114', 'EJ491'],
    name: 'token-of-the-assignment',
    bug: 'Two runs of an item have the same fencing token.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: 'for (const { item } of chunk.items) begun.push({ item, instant, jobParameter, fencingToken: revision });',
        replace:
          'for (const { item, ownerRevision } of chunk.items) begun.push({ item, instant, jobParameter, fencingToken: ownerRevision });',
      },
    ],
  },
  {
    threads: ['EJ507', 'EJ491'],
    name: 'begins-while-cut-off',
    bug: 'An instance that is cut off from the registry centre begins runs all the same.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: "    if (this.#gate === 'open') this.#gate = 'paused';\n",
        replace: '',
      },
      { file: 'kernel/run/item-run.ts', find: '    if (connected !== undefined) await connected;\n', replace: '' },
      {
        file: 'kernel/view/job-watch.ts',
        find: '        if (!this.isCurrent) return;\n        const { view } = this;',
        replace: '        const { view } = this;',
      },
    ],
  },
  {
    threads: ['EJ1857'],
    name: 'absence-after-expiry-is-an-order',
    bug: 'An instance takes what it read after its session had ended for an order of an operator to stop.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/control-lane.ts',
        find: '    if (registration.session !== session) return;\n',
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'dead-peer-is-java',
    bug: 'An instance that was away while a peer died takes that peer for a Java instance that may reconnect.',
    first: 'unit/kernel/view/java-peers.spec.ts',
    edits: [
      {
        file: 'kernel/view/java-peers.ts',
        find: '    this.#java = new Map(present);',
        replace: '    this.#java = new Map([...view.instances, ...present]);',
      },
    ],
  },
  {
    threads: ['EJ1857', 'EJ2383'],
    name: 'expiry-is-an-order-to-stop',
    bug: 'An instance that finds its node gone after its session was lost stops for good.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/job-runtime.ts',
        find: "    const occasion: Occasion = this.#hasTakenPart ? 'return' : 'start';\n",
        replace:
          "    const occasion: Occasion = this.#hasTakenPart ? 'return' : 'start';\n" +
          '    if (this.#hasTakenPart && !(await context.watch.sync()).instances.has(context.me))\n' +
          "      return void this.stop('its instance is gone');\n",
      },
    ],
  },
  {
    threads: [],
    name: 'nodes-of-the-former-session-count',
    bug: 'Nodes of a former session pass for the present one’s, and vanish with the former.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/writes/registration.ts',
        find: 'if (node !== undefined && node.session === session) continue;',
        replace: 'if (node !== undefined && session !== undefined) continue;',
      },
    ],
  },
  {
    threads: ['EJ518', 'EJ696'],
    name: 'restart-enables',
    bug: 'A restart undoes that an operator has disabled the server.',
    first: 'unit/kernel/lanes/operators.spec.ts',
    edits: [
      {
        file: 'kernel/writes/registration.ts',
        find: "return status === 'DISABLED' && !config.overwrite ? 'DISABLED' : 'ENABLED';",
        replace: "return 'ENABLED';",
      },
    ],
  },
  {
    threads: [],
    name: 'return-disables',
    bug: 'An instance that returns and finds its server removed disables it.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/writes/registration.ts',
        find: "(status ?? 'ENABLED')",
        replace: "(status ?? 'DISABLED')",
      },
    ],
  },
  {
    threads: ['EJ649', 'EJ493'],
    name: 'last-starter-wins',
    bug: 'The instance that starts last overwrites the stored configuration.',
    first: 'unit/kernel/life/start-up.spec.ts',
    edits: [
      {
        file: 'kernel/writes/stored-configuration.ts',
        find: 'else if (configuration.overwrite) {',
        replace: 'else {',
      },
    ],
  },
  {
    threads: [],
    name: 'time-zone-change-is-ignored',
    bug: 'A change of the time zone alone takes no effect.',
    first: 'unit/kernel/rules/plan.spec.ts',
    edits: [
      {
        file: 'kernel/view/assignment.ts',
        find: "return `${cron ?? ''}\\n${timeZone ?? ''}`;",
        replace: "return timeZone === '' ? '' : `${cron ?? ''}`;",
      },
    ],
  },
  {
    threads: [],
    name: 'settings-are-not-restored',
    bug: 'The registry centre comes back empty, and an instance that returns does not store the settings of its job again.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/job-runtime.ts',
        find: "if (occasion === 'return') return restoreConfiguration(context, this.definition, this.#lineage);",
        replace: "if (occasion === 'return') return this.configuration;",
      },
    ],
  },
  {
    threads: [],
    name: 'ended-run-is-forgotten-at-the-second-takeover',
    bug: 'A run has ended while its instance was away; two peers take it over and die one after the other, and the instance runs it again.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/marks/mark-removal.ts',
        find: "    const hasEnded = marked?.state === 'not-removed' || marked?.state === 'rerun-by-peer';\n    const isUnmarked",
        replace: "    const hasEnded = marked?.state === 'not-removed';\n    const isUnmarked",
      },
    ],
  },
  {
    threads: [],
    name: 'removed-job-comes-back-with-an-instance-that-was-away',
    bug: 'A job is removed while an instance is cut off, and the instance stores it again when it returns.',
    first: 'unit/kernel/life/empty-registry.spec.ts',
    edits: [
      {
        file: 'kernel/writes/stored-configuration.ts',
        find: '  if (!exists && goesOn(known, await context.registry.lineage())) return undefined;\n',
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'accepted-trigger-is-lost-with-its-instance',
    bug: 'A trigger that was accepted and waits for its run is forgotten when the instance that accepted it is gone.',
    first: 'unit/operations/handed-on-triggers.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: '  if (cleanupOwner(now) !== me) return undefined;\n  if ([...now',
        replace:
          "  if (cleanupOwner(now) !== me) return undefined;\n  if ([...now.acceptedTriggers.keys()].some(isLeft)) return { type: 'tidy-up' };\n  if ([...now",
      },
      {
        file: 'kernel/writes/housekeeping.ts',
        find: 'const spent = spentAcceptances(view).filter((id) => this.#spentAcceptances.includes(id));',
        replace: 'const spent = [...view.acceptedTriggers.keys()].filter((id) => isGone(view, id));',
      },
    ],
  },
  {
    threads: [],
    name: 'triggered-item-moves-without-its-trigger',
    bug: 'A trigger that was accepted stays with its instance when the item moves, and runs the item if it comes back.',
    first: 'unit/operations/handed-on-triggers.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: 'const next = nextParameters(now);',
        replace:
          'const next = nextParameters({ ...now, acceptedTriggers: new Map([[me, { waiting, dropped: new Set() }]]) });',
      },
    ],
  },
  {
    threads: [],
    name: 'disabled-item-runs-for-an-old-trigger',
    bug: 'An item that was disabled before it was its turn runs for its trigger when it is enabled, days later.',
    first: 'unit/operations/handed-on-triggers.spec.ts',
    edits: [
      {
        file: 'kernel/rules/undue-triggers.ts',
        find: 'waiting.has(item) && (disabled || isIdle)',
        replace: 'waiting.has(item) && isIdle',
      },
    ],
  },
  {
    threads: [],
    name: 'trigger-ends-before-its-run',
    bug: 'The end of a trigger is reported although its item still waits for its turn.',
    first: 'unit/operations/handed-on-triggers.spec.ts',
    edits: [
      {
        file: 'operations/changes/triggered-job.ts',
        find: 'if (isWaiting || (view.instances.has(id) && view.triggers.has(id)))',
        replace: 'if (view.instances.has(id) && view.triggers.has(id))',
      },
    ],
  },
  {
    threads: [],
    name: 'listener-is-not-closed-after-a-lost-session',
    bug: 'A listener is called before a firing and not after it, because the session is lost at a barrier.',
    first: 'unit/kernel/run/job-listeners.spec.ts',
    edits: [
      {
        file: 'kernel/run/job-listeners.ts',
        find: 'await barriers.reportCompleted(once, signal).catch((error: unknown) => void failures.push(error));',
        replace: 'await barriers.reportCompleted(once, signal);',
      },
    ],
  },
  {
    threads: [],
    name: 'item-starts-in-a-silent-session',
    bug: 'An item starts although the registry centre has confirmed nothing for two thirds of the session.',
    first: 'unit/kernel/life/sessions.spec.ts',
    edits: [
      {
        file: 'kernel/run/job-run.ts',
        find: 'isConnected(abort) && !session.isSilent ? undefined',
        replace: 'isConnected(abort) ? undefined',
      },
    ],
  },
  {
    threads: [],
    name: 'ended-run-is-taken-over',
    bug: 'A run that ended while its instance was away is reported as crashed, and run again although its instance is back.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/marks/mark-removal.ts',
        find: 'const operations = own.length > 0 ? removals : this.#reportRemovals(item);',
        replace: 'const operations = removals;',
      },
    ],
  },
  {
    threads: [],
    name: 'overwritten-instance-is-not-repaired',
    bug: 'An old console overwrites the node of an instance, which gets no items from then on.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: 'const isSound = own?.readable === true && own.session !== undefined;',
        replace: 'const isSound = own !== undefined && own.session !== undefined;',
      },
    ],
  },
];
