import { type Mutant } from '../mutant.js';

/** Firings that come while nothing can be run, and triggers. */
export const misfire: readonly Mutant[] = [
  {
    threads: ['EJ241', 'EJ250'],
    name: 'trigger-is-missed-as-well',
    bug: 'A trigger is run, and recovered as if it had been missed.',
    first: 'unit/kernel/lanes/operators.spec.ts',
    edits: [
      {
        file: 'layout/x-node/accepted-triggers.ts',
        find: 'const items = isBegun ? new Set',
        replace: 'const items = isBegun && !run.isForAll ? new Set',
      },
    ],
  },
  {
    threads: ['EJ52', 'EJ1981'],
    name: 'trigger-during-a-run-is-lost',
    bug: 'A trigger that comes while the instance is running is ignored.',
    first: 'unit/kernel/life/triggers.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: '  if (now.acceptedTriggers.size === 0) return undefined;',
        replace: '  if (now.acceptedTriggers.size >= 0) return undefined;',
      },
    ],
  },
  {
    threads: ['EJ390', 'EJ470', 'EJ2490'],
    name: 'recovered-twice',
    bug: 'Two mechanisms recover a missed firing, once each.',
    first: 'unit/kernel/lanes/misfire.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: '    if (items === undefined && (this.#missedInstant ?? Infinity) <= instant) this.#missedInstant = undefined;',
        replace:
          "    if (items === undefined && (this.#missedInstant ?? Infinity) <= instant) {\n      this.#missedInstant = undefined;\n      if (firing.cause === 'misfire') void this.#deps.registry.create(this.#deps.paths.trigger(this.#deps.me), '');\n    }",
      },
    ],
  },
  {
    threads: ['EJ390'],
    name: 'new-owner-runs-it-again',
    bug: 'An item that changes its owner in the middle of a firing is run by its old owner and by its new one.',
    first: 'unit/kernel/writes/assigning.spec.ts',
    edits: [
      {
        file: 'kernel/view/items.ts',
        find: '!each.disabled && !wasBegun(view, each.item, instant) && !isRuledOutNow(each));',
        replace: '!each.disabled && !isRuledOutNow(each));',
      },
    ],
  },
  {
    threads: ['EJ596'],
    name: 'misfire-of-the-whole-instance',
    bug: 'A firing that meets a slow item is recovered again and again while that item runs.',
    first: 'unit/kernel/lanes/misfire.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: "if (runPolicyOf(config).missed === 'recover') for (const item of blocked) this.#missItem(item, instant);",
        replace: "if (runPolicyOf(config).missed === 'recover' && blocked.length > 0) this.#missedInstant = instant;",
      },
    ],
  },
  {
    threads: ['EJ596'],
    name: 'misfire-mark-stays',
    bug: 'The mark of a missed firing outlives the run that recovers it, and demands the next one.',
    first: 'unit/kernel/marks/failover.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: 'return misfired && instant !== undefined && !isRunKey(instant)',
        replace: 'return misfired && instant === undefined',
      },
      {
        file: 'kernel/rules/plan.ts',
        find: "return items.length > 0 ? { type: 'clear-misfired', items: numbersOf(items) } : undefined;",
        replace: 'return undefined;',
      },
    ],
  },
  {
    threads: ['EJ458', 'EJ695'],
    name: 'misfire-false-is-ignored',
    bug: 'Missed firings are recovered although misfire is switched off.',
    first: 'unit/kernel/run/runs.spec.ts',
    edits: [
      {
        file: 'kernel/view/firing.ts',
        find: "missed: misfire ? 'recover' : 'drop' }",
        replace: "missed: 'recover' }",
      },
      {
        file: 'kernel/rules/plan.ts',
        find: 'now.config?.misfire === false && (backlog.missedByItem.size > 0',
        replace: 'now.config?.misfire === undefined && (backlog.missedByItem.size > 0',
      },
    ],
  },
  {
    threads: ['EJ458'],
    name: 'nothing-is-recovered',
    bug: 'Firings missed during a run are dropped although misfire is switched on.',
    first: 'unit/kernel/lanes/misfire.spec.ts',
    edits: [
      {
        file: 'kernel/view/firing.ts',
        find: "missed: misfire ? 'recover' : 'drop' }",
        replace: "missed: 'drop' }",
      },
    ],
  },
  {
    threads: ['EJ2490'],
    name: 'one-makes-all-misfire',
    bug: 'A firing that meets one slow item makes all items of the instance run once more.',
    first: 'unit/kernel/lanes/misfire.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: "if (runPolicyOf(config).missed === 'recover') for (const item of blocked) this.#missItem(item, instant);",
        replace:
          "if (blocked.length > 0) void this.#deps.registry.create(this.#deps.paths.trigger(this.#deps.me), '');",
      },
    ],
  },
  {
    threads: [],
    name: 'disabled-for-a-moment-decides',
    bug: 'A firing is lost if its server is disabled at that instant and enabled again before its items have moved.',
    first: 'unit/kernel/lanes/handover.spec.ts',
    edits: [
      {
        file: 'kernel/view/items.ts',
        find: 'decidedOn: areAboutToMove(view) ? decidedOn : numbersOf(own),',
        replace: 'decidedOn: numbersOf(own),',
      },
    ],
  },
  {
    threads: [],
    name: 'postponed-firing-replaces-a-later-one',
    bug: 'A firing that waited in vain for the items to be assigned is recovered in the place of a later one.',
    first: 'unit/kernel/lanes/delayed-firings.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: 'if (items === undefined && this.#missedInstant === undefined) {',
        replace: 'if (items === undefined) {',
      },
    ],
  },
];
