import { type Mutant } from '../mutant.js';

/** Jobs that run after others: what makes a round complete, what is due, and what a failure does. */
export const graphs: readonly Mutant[] = [
  {
    threads: [],
    name: 'one-item-completes-the-round',
    bug: 'A round is complete although items still run, so that the next job begins before them.',
    first: 'unit/kernel/graph/rounds.spec.ts',
    edits: [
      {
        file: 'kernel/graph/rounds.ts',
        find: "    else if ([...states.values()].includes('open')) waiting.add(kind);",
        replace: "    else if ([...states.values()].every((state) => state === 'open')) waiting.add(kind);",
      },
    ],
  },
  {
    threads: [],
    name: 'takeover-does-not-hold-the-round',
    bug: 'The end of a run that has died completes the round while an instance runs the item again.',
    first: 'unit/kernel/graph/after.spec.ts',
    edits: [
      {
        file: 'kernel/graph/rounds.ts',
        find: "  if (isBeingTakenOver(view, item, instant)) return 'open';",
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'settings-close-the-round-of-a-running-item',
    bug: 'An item that runs counts as stopped when new settings would not let it begin.',
    first: 'unit/kernel/graph/after-outages.spec.ts',
    edits: [
      { file: 'kernel/graph/rounds.ts', find: "  if (mayHaveBegun(view, item, instant)) return 'open';", replace: '' },
    ],
  },
  {
    threads: [],
    name: 'stopped-item-merges-the-round',
    bug: 'A round with an item that a failure has stopped is forgotten when that item runs for a later instant.',
    first: 'unit/kernel/graph/after-outages.spec.ts',
    edits: [
      {
        file: 'kernel/graph/rounds.ts',
        find: "  if (fate !== 'runs') return fate;",
        replace: "  if (fate !== 'runs' && (ends.last.scheduled.get(item) ?? -Infinity) <= instant) return fate;",
      },
    ],
  },
  {
    threads: [],
    name: 'dropped-item-leaves-the-round',
    bug: 'A round is complete although an item still runs that is none any more.',
    first: 'unit/kernel/graph/after-outages.spec.ts',
    edits: [
      {
        file: 'kernel/graph/rounds.ts',
        find: '  for (const item of itemsIn(view, total, input)) {',
        replace: '  for (let item = 0; item < total; item++) {',
      },
    ],
  },
  {
    threads: [],
    name: 'lost-run-has-not-failed',
    bug: 'Without failover, the round of a run that died with its instance never comes to an end.',
    first: 'unit/kernel/graph/after.spec.ts',
    edits: [
      {
        file: 'kernel/writes/housekeeping.ts',
        find: '      const ends = [...this.#endsOf(view, gone), ...lostRuns(view, gone)];',
        replace: '      const ends = this.#endsOf(view, gone);',
      },
    ],
  },
  {
    threads: [],
    name: 'ends-go-with-their-instance',
    bug: 'The ends that an instance has written are lost when it leaves.',
    first: 'unit/kernel/graph/after-races.spec.ts',
    edits: [
      {
        file: 'kernel/writes/housekeeping.ts',
        find: '      const ends = [...this.#endsOf(view, gone), ...lostRuns(view, gone)];',
        replace: '      const ends = lostRuns(view, gone);',
      },
    ],
  },
  {
    threads: [],
    name: 'end-after-its-mark',
    bug: 'An instance that comes back removes the mark of a run that has ended, and dies before it writes the end.',
    first: 'unit/kernel/graph/after-outages.spec.ts',
    edits: [
      {
        file: 'kernel/writes/registration.ts',
        find: '...(hasEnded && { ended: [{ item: item.item, instant: ended.get(item.item), end }] })',
        replace: '...(end === undefined && { ended: [] })',
      },
    ],
  },
  {
    threads: [],
    name: 'failure-is-no-failure',
    bug: 'A job runs although the one before it has failed.',
    first: 'unit/kernel/graph/rounds.spec.ts',
    edits: [
      {
        file: 'kernel/graph/due-rounds.ts',
        find: "    if (isGood || failure === 'run') return 'runs';",
        replace: "    if (isGood || failure !== 'skip') return 'runs';",
      },
    ],
  },
  {
    threads: [],
    name: 'skip-stops',
    bug: 'A skipped round counts as a failure for the jobs after it.',
    first: 'unit/kernel/graph/rounds.spec.ts',
    edits: [
      {
        file: 'kernel/graph/due-rounds.ts',
        find: "instant > since ? [[instant, outcome === 'succeeded' || outcome === 'skipped'] as const] : [],",
        replace: "instant > since ? [[instant, outcome === 'succeeded'] as const] : [],",
      },
    ],
  },
  {
    threads: [],
    name: 'every-is-latest',
    bug: 'Rounds that come while the job is busy are skipped, although each is to be run.',
    first: 'unit/kernel/graph/after.spec.ts',
    edits: [
      {
        file: 'kernel/graph/due-rounds.ts',
        find: "this.#dependencies.rounds === 'every' ? scheduled[0] : scheduled.at(-1)",
        replace: 'scheduled.at(-1)',
      },
    ],
  },
  {
    threads: [],
    name: 'past-rounds-are-due',
    bug: 'A new job runs for rounds that began before it was there.',
    first: 'unit/kernel/graph/after-races.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/upstream-watch.ts',
        find: '    const since = Math.max(begun, completed);',
        replace: '    const since = Math.min(begun, completed);',
      },
    ],
  },
  {
    threads: [],
    name: 'left-out-item-runs-late',
    bug: 'An item that took no part in a round runs for it when the jobs after it have gone on.',
    first: 'unit/kernel/graph/after-outages.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/upstreams.ts',
        find: '  return { ...begun, lastBegun: Math.max(completedUpTo, begun.lastBegun ?? -Infinity) };',
        replace: '  return completedUpTo === Infinity ? begun : { ...begun };',
      },
    ],
  },
  {
    threads: [],
    name: 'latest-is-the-same',
    bug: 'Jobs of different schedules never run a common successor.',
    first: 'unit/kernel/graph/rounds.spec.ts',
    edits: [
      {
        file: 'kernel/graph/due-rounds.ts',
        find: "const isExact = match === 'same' || isRunKey(instant);",
        replace: "const isExact = match === 'same' || match === 'latest' || isRunKey(instant);",
      },
    ],
  },
];
