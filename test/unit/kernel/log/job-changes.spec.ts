import { describe, expect, test } from '@jest/globals';
import { jobChanges, type ViewChange } from '../../../../lib/kernel/log/job-changes.js';
import { peerChanges } from '../../../../lib/kernel/log/peer-changes.js';
import { wordsOf } from '../../../../lib/kernel/job/job-events.js';
import { JobPaths } from '../../../../lib/layout/job-paths.js';
import { type JobView } from '../../../../lib/layout/job-view.js';
import { aConfiguration, anItem, aView, idOf, ipOf } from '../../../support/views.js';

const A = idOf('A');

/** The messages that A logs about a change, as level and text. */
function logged(before: JobView | undefined, now: JobView, more: Partial<ViewChange> = {}): readonly string[] {
  const fullPath = (path: string): string => `/orders${path}`;
  const change = { before, now, me: A, myIp: ipOf('A'), paths: new JobPaths('bill'), fullPath, ...more };
  const peers = before === undefined ? [] : peerChanges(before, now).filter(({ reporter }) => reporter === A);
  return [...peers.map(({ event }) => event), ...jobChanges(change)].map((event) => {
    const { level, text } = wordsOf(event, A);
    return `${level} ${text.replaceAll(/10\.0\.0\.\d+@-@1-/g, '')}`;
  });
}

const withA = (status: 'ENABLED' | 'DISABLED' | 'UNKNOWN'): JobView =>
  aView(['A', 'B'], { servers: new Map([[ipOf('A'), status]]) });
const owned = (...disabled: readonly number[]): JobView =>
  aView(['A'], { items: [0, 1, 2].map((item) => anItem(item, { owner: A, disabled: disabled.includes(item) })) });
const set = (changes: Parameters<typeof aConfiguration>[0]): JobView =>
  aView(['A'], { config: aConfiguration(changes) });
const java = (names: readonly string[]): JobView => aView(names, { live: new Set([A]) });

describe('a change of a job is logged', () => {
  const cases: readonly (readonly [
    what: string,
    before: JobView | undefined,
    now: JobView,
    lines: readonly string[],
  ])[] = [
    ['not if nothing has changed', aView(['A', 'B']), aView(['A', 'B']), []],
    ['not when the instance begins to take part, whatever there is', undefined, aView(['A', 'B']), []],
    ['if an instance joins', aView(['A', 'B']), aView(['A', 'B', 'C']), ['log instance C has joined.']],
    [
      'if an instance has stopped',
      aView(['A', 'B']),
      aView(['A'], { withdrawn: [idOf('B')] }),
      ['log instance B has stopped.'],
    ],
    [
      'if an instance has crashed',
      aView(['A', 'B']),
      aView(['A'], { withdrawn: [idOf('C')] }),
      ['warn instance B is gone without having stopped: its process has died, or its session has ended.'],
    ],
    [
      'not while an instance that is stopping still runs items',
      aView(['A', 'B']),
      aView(['A'], { live: new Set([A, idOf('B')]) }),
      [],
    ],
    [
      'if a Java instance is gone',
      java(['A', 'B']),
      java(['A']),
      ['log instance B (Java) is gone: it has stopped or crashed.'],
    ],
    [
      'if an operator disables the server',
      withA('ENABLED'),
      withA('DISABLED'),
      [
        `log server ${ipOf('A')} is disabled by an operator; this instance begins no item until an operator enables it.`,
      ],
    ],
    [
      'if the server is disabled at the start already',
      undefined,
      withA('DISABLED'),
      [
        `log server ${ipOf('A')} is disabled by an operator; this instance begins no item until an operator enables it.`,
      ],
    ],
    [
      'if the settings disable the server at the start',
      undefined,
      aView(['A'], { config: aConfiguration({ disabled: true }), servers: new Map([[ipOf('A'), 'DISABLED']]) }),
      [
        `log server ${ipOf('A')} is disabled by its settings (disabled: true); this instance begins no item until an operator enables it.`,
      ],
    ],
    [
      'if an operator enables the server again',
      withA('DISABLED'),
      withA('ENABLED'),
      [`log server ${ipOf('A')} is enabled again; this instance is given items again.`],
    ],
    [
      'not if an operator removes the server of an enabled instance',
      withA('ENABLED'),
      aView(['A', 'B'], { servers: new Map() }),
      [],
    ],
    [
      "not if it is another instance's server",
      aView(['A', 'B']),
      aView(['A', 'B'], {
        servers: new Map([
          [ipOf('A'), 'ENABLED'],
          [ipOf('B'), 'DISABLED'],
        ]),
      }),
      [],
    ],
    [
      'if items are disabled',
      owned(),
      owned(0, 2),
      ['log an operator has disabled items 0,2, which this instance owns; firings leave them out.'],
    ],
    ['if an item is enabled again', owned(0, 2), owned(2), ['log an operator has enabled items 0 again.']],
    [
      'not if a disabled item changes its owner',
      owned(),
      aView(['A'], { items: [anItem(3, { owner: A, disabled: true })] }),
      [],
    ],
    [
      'if settings are changed',
      set({ cron: '*/3 * * * * ?' }),
      set({ cron: '*/2 * * * * ?', shardingTotalCount: 3 }),
      ["log its settings were changed: cron '*/3 * * * * ?' → '*/2 * * * * ?', shardingTotalCount 2 → 3."],
    ],
    [
      'if disabled is set at run time, which has no effect then',
      set({}),
      set({ disabled: true }),
      ['log its settings were changed: disabled false → true. An instance goes by disabled when it starts.'],
    ],
    ['not if the server has a text that means nothing, which is an obstacle', withA('ENABLED'), withA('UNKNOWN'), []],
    [
      'if the stored settings are those of another job, at the start and when they come',
      undefined,
      set({ jobName: 'other' }),
      [
        "warn /orders/bill/config has the settings of a job 'other'. This job runs by them, but its listeners, sharding strategy and " +
          'error handler are given that name. Write the name of this job there.',
      ],
    ],
    ['not again while they stay', set({ jobName: 'other' }), set({ jobName: 'other' }), []],
    ['not while there are no settings', set({}), { ...aView(['A']), config: undefined }, []],
    [
      'if there are nodes beside the items that are no items, once for each',
      aView(['A'], { strayItems: ['abc'] }),
      aView(['A'], { strayItems: ['abc', '01'] }),
      [
        'warn /orders/bill/sharding/01 is no item: items are named 0, 1, 2 and so on. No instance uses it, and consoles may fail to ' +
          'show the job. Delete it.',
      ],
    ],
    ['not if settings are written again as they are', set({ cron: '0 0 2 * * ?' }), set({ cron: '0 0 2 * * ?' }), []],
  ];
  test.each(cases)('%s', (_, before, now, lines) => {
    expect(logged(before, now)).toEqual(lines);
  });

  test('by one instance of the cluster if it is about a peer: the first one that stays', () => {
    const changes = peerChanges(aView(['A', 'B', 'C']), aView(['B', 'C', 'D']));

    expect(changes).toEqual([
      { event: { type: 'joined', peer: idOf('D') }, reporter: idOf('B') },
      { event: { type: 'crashed', peer: A }, reporter: idOf('B') },
    ]);
  });
});
