import { type Figures, type Verdict } from './checker/checker.js';
import { type Fault, faultKinds, type Finding, type History, type LogEvent } from './history.js';

/** A fault as one line of the schedule; `from` is the campaign's beginning. */
export function describeFault({ number, kind, targets, from, to }: Fault, since: number): string {
  const seconds = ((from - since) / 1000).toFixed(1).padStart(7);
  return `${seconds} s  #${String(number).padEnd(4)} ${kind.padEnd(26)} ${targets.join(', ').padEnd(10)} for ${((to - from) / 1000).toFixed(1)} s`;
}

/** The table at the end of a campaign. */
export function summary(history: History, { figures, findings }: Verdict): string {
  const faults = faultKinds(history.registry).map(
    (kind) => [kind, history.faults.filter((fault) => fault.kind === kind).length] as const,
  );
  const count = (kind: Finding['kind']): number => findings.filter((finding) => finding.kind === kind).length;
  const rows: readonly (readonly [string, string | number])[] = [
    [`faults in ${((history.to - history.from) / 1000).toFixed(0)} s`, history.faults.length],
    ...faults.map(([kind, number]) => [`  ${kind}`, number] as const),
    ['processes', history.processes.length],
    ['firings', figures.firings],
    ['item runs expected', figures.expected],
    ['item runs', figures.runs],
    ['  in time', share(figures.inTime, figures.expected)],
    [`  lateness of these p50 / p99`, `${percentile(figures.lateness, 50)} / ${percentile(figures.lateness, 99)} ms`],
    ['  late or made up (misfire, catch-up)', figures.madeUp],
    ['  cut short by a crash or a lost session', figures.unfinished],
    ['  rescued', figures.rescued],
    [
      '  rescue after the crash p50 / p99',
      `${percentile(figures.rescueMs, 50)} / ${percentile(figures.rescueMs, 99)} ms`,
    ],
    ['  repeated, their end could not be told', figures.untold],
    ['  repeated while an unmonitored item moved', figures.unmonitored],
    ['  steps of a stale run in the turn of waking', figures.stepsOnWaking],
    ['  stale runs started in the turn of waking', figures.startsOnWaking],
    ['instants without a run, by excuse', sum(figures)],
    ...Object.entries(figures.excused)
      .sort(([, one], [, other]) => other - one)
      .map(([excuse, number]) => [`  ${excuse}`, number] as const),
    ['VIOLATIONS', findings.length],
    ...KINDS.map((kind) => [`  ${kind}`, count(kind)] as const),
  ];
  return rows.map(([name, value]) => `${name.padEnd(64)} ${String(value).padStart(14)}`).join('\n');
}

const KINDS = [
  'miss',
  'late',
  'early',
  'wrong instant',
  'double',
  'overlap',
  'stale step',
  'token',
  'not rescued',
  'rescued late',
  'unended',
  'stuck',
  'residue',
  'process',
] as const satisfies readonly Finding['kind'][];

function sum({ excused }: Figures): number {
  return Object.values(excused).reduce((total, count) => total + count, 0);
}

function share(part: number, whole: number): string {
  return whole === 0 ? `${part}` : `${part} (${((100 * part) / whole).toFixed(1)} %)`;
}

/** The value that `percent` of all do not exceed, rounded; 0 if there are none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0);
}

/** The log lines around a finding, in the order of time. */
export function evidence(finding: Finding, history: History): string {
  const before = 2_500 + 2 * history.sessionMs;
  const isNear = (t: number): boolean => t > finding.t - before && t < finding.t + 2_500;
  const near = history.events.filter(({ t }) => isNear(t));
  const own = new Map<string, string>();
  for (const event of history.events)
    if (
      event.event === 'start' &&
      event.job === finding.job &&
      (finding.item === undefined || event.item === finding.item)
    )
      own.set(`${event.process} ${event.run}`, `${event.job}/${event.item}`);
  const lines = [
    ...near.flatMap((event) => tell(event, own, finding.job)),
    ...history.faults.flatMap((fault) => [
      ...(isNear(fault.from)
        ? [[fault.from, `-- #${fault.number} ${fault.kind} ${fault.targets.join(', ')} begins`] as const]
        : []),
      ...(isNear(fault.to)
        ? [[fault.to, `-- #${fault.number} ${fault.kind} ${fault.targets.join(', ')} is made good`] as const]
        : []),
    ]),
    ...history.moments
      .filter(({ job, t }) => job === finding.job && isNear(t))
      .map(({ t, isSeen, isResharding, owners, marked }) => {
        const owner = finding.item === undefined ? owners.join(' ') : owners[finding.item];
        const mark =
          finding.item === undefined
            ? `marked ${marked.join(',')}`
            : marked.includes(finding.item)
              ? 'marked'
              : 'unmarked';
        return [
          t,
          `== registry${isSeen ? '' : ' (not seen)'}: ${isResharding ? 'to be assigned' : 'assigned'}, ${mark}, ${owner}`,
        ] as const;
      }),
  ].sort(([one], [other]) => one - other);
  const told = lines.filter(([, text], index) => lines[index - 1]?.[1] !== text);
  return [
    `${finding.kind.toUpperCase()}: ${finding.text}`,
    ...told.map(([t, text]) => `  ${((t - finding.t) / 1000).toFixed(3).padStart(8)} s  ${text}`),
  ].join('\n');
}

function tell(
  event: LogEvent,
  own: ReadonlyMap<string, string>,
  job: string | undefined,
): readonly (readonly [number, string])[] {
  const by = event.process;
  switch (event.event) {
    case 'ready':
      return [[event.t, `${by} is ready`]];
    case 'stall':
      return [[event.t, `${by} had not run for ${Math.round(event.t - event.from)} ms`]];
    case 'phases':
      return job === undefined ? [] : [[event.t, `${by} ${job}: ${event.jobs[job] ?? 'none'}`]];
    case 'log': {
      const isOfAnother = /^Job '([^']+)'/.exec(event.message)?.[1];
      return isOfAnother === undefined || isOfAnother === job
        ? [[event.t, `${by} ${event.level}: ${event.message}`]]
        : [];
    }
    case 'start': {
      if (!own.has(`${by} ${event.run}`)) return [];
      const instant =
        event.scheduledAt === undefined ? 'no instant' : new Date(event.scheduledAt).toISOString().slice(11, 23);
      return [
        [
          event.t,
          `${by} run ${event.run} of ${event.job}/${event.item} starts for ${instant}, token ${event.fencingToken}`,
        ],
      ];
    }
    case 'step':
    case 'end':
    case 'abort':
    case 'aborted':
      return own.has(`${by} ${event.run}`) ? [[event.t, `${by} run ${event.run} ${event.event}`]] : [];
    default:
      return event satisfies never;
  }
}
