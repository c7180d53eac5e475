import { type Fault, type FaultKind, type History, isOfServers, type LogEvent } from '../history.js';
import { groupBy } from './group-by.js';
import { type Interval, Intervals } from './intervals.js';

/** When each process could not do its part, by what it wrote itself and by what was done to it. */
export interface Troubles {
  /** Dead, stopped, cut off or without a session; with `job`, also when that job did not take part. */
  readonly of: (process: string, job?: string) => Intervals;
  /** Times at which the process did not get to run at all, while it lived. */
  readonly stalls: (process: string) => Intervals;
  /** When the process learned that its session was lost. */
  readonly losses: (process: string) => readonly number[];
  /**
   * Times at which no process could do its part in this job, or the registry centre took no writes. A process that takes
   * no part for long although nothing keeps it from that is a finding of its own.
   */
  readonly standstill: (job: string) => Intervals;
  /** Times at which something was done to a server of the registry centre: writes may wait, as for a new standby. */
  readonly servers: Intervals;
}

/** After what was done to it has been made good, how long it may take until a process knows. */
const RETURN_MS = 300;

const CUTS: ReadonlySet<FaultKind> = new Set([
  'cut both ways',
  'cut sending',
  'cut receiving',
  'slow network',
  'reset connections',
] as const);
const FREEZES: ReadonlySet<FaultKind> = new Set(['freeze past the session', 'freeze within the session'] as const);

/** Reads the troubles of all processes from a history. */
export function readTroubles(history: History): Troubles {
  const events = groupBy(history.events, ({ process }) => process);
  const faults = groupBy(
    history.faults.flatMap((fault) => fault.targets.map((target) => ({ ...fault, target }))),
    ({ target }) => target,
  );
  const outages = history.outages.map(({ from, to }) => ({ from, to: to + RETURN_MS, why: 'no registry' }));
  const of = new Map<string, Intervals>();
  const ofJobs = new Map<string, Intervals>();
  const stalls = new Map<string, Intervals>();
  const losses = new Map<string, readonly number[]>();
  for (const { name, bornAt, diedAt } of history.processes) {
    const own = events.get(name) ?? [];
    const stopped = [...stallsIn(own), ...freezes(faults.get(name) ?? [])];
    const readyAt = own.find(({ event }) => event === 'ready')?.t ?? diedAt ?? Infinity;
    stalls.set(name, new Intervals(stopped));
    losses.set(
      name,
      own.filter((event) => sessionPhase(event) === 'lost').map(({ t }) => t),
    );
    const all = [
      { from: -Infinity, to: bornAt, why: 'owner dead' },
      { from: bornAt, to: readyAt, why: 'owner starting' },
      ...(diedAt === undefined ? [] : [{ from: diedAt, to: Infinity, why: 'owner dead' }]),
      ...stopped,
      ...disconnections(own),
      ...cuts(faults.get(name) ?? []),
      ...kills(faults.get(name) ?? []),
      ...outages,
    ];
    of.set(name, new Intervals(all));
    for (const job of history.jobs)
      ofJobs.set(`${name} ${job.name}`, new Intervals([...all, ...absences(own, job.name)]));
  }
  const standstills = new Map(
    history.jobs.map(({ name }) => {
      const all = history.processes.map((process) => ofJobs.get(`${process.name} ${name}`) ?? NONE);
      return [name, new Intervals([...outages, ...common(all)])] as const;
    }),
  );
  return {
    of: (process, job) => (job === undefined ? of.get(process) : ofJobs.get(`${process} ${job}`)) ?? NONE,
    stalls: (process) => stalls.get(process) ?? NONE,
    losses: (process) => losses.get(process) ?? [],
    standstill: (job) => standstills.get(job) ?? NONE,
    servers: new Intervals(history.faults.filter(isOfServers).map(({ from, to }) => ({ from, to, why: 'servers' }))),
  };
}

const NONE = new Intervals([]);

/** The state of the session in a log line; `undefined` for other lines. */
export function sessionPhase(event: LogEvent): 'suspended' | 'lost' | 'connected' | undefined {
  if (event.event !== 'log') return undefined;
  if (event.message.startsWith('Nothing is heard of the ')) return 'suspended';
  if (event.message.startsWith('The session with the ')) return 'lost';
  return event.message.startsWith('Connected to the ') ? 'connected' : undefined;
}

function stallsIn(events: readonly LogEvent[]): readonly Interval[] {
  return events.flatMap((event) =>
    event.event === 'stall' ? [{ from: event.from, to: event.t, why: 'owner frozen' }] : [],
  );
}

function freezes(faults: readonly Fault[]): readonly Interval[] {
  return faults
    .filter(({ kind }) => FREEZES.has(kind))
    .map(({ from, to }) => ({ from, to: to + RETURN_MS, why: 'owner frozen' }));
}

function cuts(faults: readonly Fault[]): readonly Interval[] {
  return faults
    .filter(({ kind }) => CUTS.has(kind))
    .map(({ from, to }) => ({ from, to: to + RETURN_MS, why: 'owner cut off' }));
}

/** That a process is dead shows only some time after it was killed. */
function kills(faults: readonly Fault[]): readonly Interval[] {
  return faults.filter(({ kind }) => kind === 'kill').map(({ from }) => ({ from, to: Infinity, why: 'owner dead' }));
}

/** From a doubt about the session, or its loss, until it is connected again. */
export function disconnections(events: readonly LogEvent[]): readonly Interval[] {
  const intervals: Interval[] = [];
  let since: number | undefined;
  for (const event of events) {
    const phase = sessionPhase(event);
    if (phase === 'suspended' || phase === 'lost') since ??= event.t - silenceMs(event);
    if (phase !== 'connected' || since === undefined) continue;
    intervals.push({ from: since, to: event.t + RETURN_MS, why: 'owner disconnected' });
    since = undefined;
  }
  return since === undefined ? intervals : [...intervals, { from: since, to: Infinity, why: 'owner disconnected' }];
}

/** How long the registry centre had not answered when a process came to doubt its session. */
function silenceMs(event: LogEvent): number {
  const message = 'message' in event ? event.message : '';
  return Number(/(?:no heartbeat was answered|confirmed nothing|no answer) for (\d+) ms/.exec(message)?.[1] ?? 0);
}

/** From when a job does not take part until it does. */
export function absences(events: readonly LogEvent[], job: string): readonly Interval[] {
  const intervals: Interval[] = [];
  let since: number | undefined;
  for (const event of events) {
    if (event.event !== 'phases') continue;
    const isActive = event.jobs[job] === 'active';
    if (!isActive) since ??= event.t - BEAT_MS;
    else if (since !== undefined) {
      intervals.push({ from: since, to: event.t + RETURN_MS, why: 'owner disconnected' });
      since = undefined;
    }
  }
  return since === undefined ? intervals : [...intervals, { from: since, to: Infinity, why: 'owner disconnected' }];
}

/** How often a process writes down in which phase its jobs are. */
const BEAT_MS = 50;

/** Moments that are in all of these sets. */
function common(sets: readonly Intervals[]): readonly Interval[] {
  const edges = sets
    .flatMap((set) => [...set].flatMap(({ from, to }) => [[from, 1] as const, [to, -1] as const]))
    .sort(([one, first], [other, second]) => one - other || first - second);
  const intervals: Interval[] = [];
  let depth = 0;
  let since = 0;
  for (const [t, change] of edges) {
    if (depth === sets.length) intervals.push({ from: since, to: t });
    depth += change;
    since = t;
  }
  return intervals;
}
