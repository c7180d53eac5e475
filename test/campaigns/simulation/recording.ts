import { type Step } from './history.js';

/**
 * How a run of user code ended: `timed-out` if its time was up before, `aborted` if it was told to end before, `lost`
 * if its process was gone first.
 */
export type RunEnd = 'completed' | 'failed' | 'timed-out' | 'aborted' | 'lost';

/** One run of an item's user code. Times are milliseconds since the beginning of the history, in true time. */
export interface Run {
  readonly instance: string;
  readonly item: number;
  /** The scheduled instant; `undefined` for a manual run, or if it is unknown. */
  readonly scheduledMs: number | undefined;
  readonly token: number;
  readonly begunMs: number;
  readonly abortedMs: number | undefined;
  /** True if it was aborted because its time limit had passed: it has then failed, even if its code goes on. */
  readonly isTimeUp?: boolean;
  readonly endedMs: number | undefined;
  readonly end: RunEnd | undefined;
  /** How often the code was called: an item that fails may be retried. */
  readonly attempts: number;
}

/** One call of the listener that is called once in the cluster. Times as in `Run`. */
export interface Call {
  readonly instance: string;
  readonly phase: 'before' | 'after';
  /** The scheduled instant it is for; `undefined` for a manual firing. */
  readonly scheduledMs: number | undefined;
  /** Items of the calling instance, as the call is given them. */
  readonly items: readonly number[];
  readonly begunMs: number;
  readonly endedMs: number | undefined;
  /** `lost` if the process was gone before the call ended. */
  readonly end: 'completed' | 'aborted' | 'lost' | undefined;
}

/** One execution row of a trace. Times as in `Run`, when it was delivered. */
export interface TraceRow {
  readonly item: number;
  readonly startMs: number;
  readonly endMs: number | undefined;
  readonly success: boolean;
  /** How often it was delivered: at its start and at its end. */
  readonly deliveries: number;
}

/** The trace of one process. */
export interface ProcessTrace {
  readonly instance: string;
  /** `undefined` if the process is there at the end. */
  readonly diedMs: number | undefined;
  /** By their ids. */
  readonly rows: ReadonlyMap<string, TraceRow>;
  /** How often it has begun each item, as its observers were notified. */
  readonly begun: ReadonlyMap<number, number>;
  /** Runs with the state TASK_STAGING. */
  readonly staged: number;
  /** Runs with a last state. */
  readonly ended: number;
}

/** One commit to the registry. */
export interface Commit {
  readonly atMs: number;
  readonly revision: number;
  /** Name of the instance whose session it was, or `operator`, or `wipe` if the registry lost its nodes. */
  readonly by: string;
  /** The new values; `undefined` for removed nodes. */
  readonly changes: readonly {
    readonly path: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
}

/** A step as it was played, and what came of it by itself later, such as `B is back`. */
export interface Played {
  readonly atMs: number;
  readonly text: string;
  readonly step?: Step;
  /** The instance concerned. */
  readonly name?: string;
}

/** While an instance could not know what it had to know: its session was ended by the server, or its process frozen. */
export interface Exemption {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** An instance that is there at the end, or at another moment of rest. */
export interface Presence {
  readonly name: string;
  readonly phase: string;
  /** Timers it waits for. */
  readonly timers: number;
  readonly skewMs: number;
  readonly session: string;
}

/** The state of the cluster when nothing has happened for a long while. */
export interface Rest {
  readonly atMs: number;
  readonly present: readonly Presence[];
  /** The job's nodes. */
  readonly tree: ReadonlyMap<string, string>;
}

/** All that a simulator knows of a history when it is over. */
export interface Recording {
  readonly runs: readonly Run[];
  readonly calls: readonly Call[];
  readonly traces: readonly ProcessTrace[];
  readonly commits: readonly Commit[];
  readonly played: readonly Played[];
  /** When somebody did something without end, so that time did not pass any more. */
  readonly endlessMs: number | undefined;
  /** From when on nothing happened any more: everybody is back, everything enabled, all items quick. */
  readonly calmMs: number;
  /** Between the end of the calm and two more firings, and after these. */
  readonly rests: readonly Rest[];
  /** Requests by instance and second. */
  readonly requests: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly exemptions: readonly Exemption[];
  /** Errors that reached nothing that handles them; most of them would have ended their process. */
  readonly unhandled: readonly string[];
  /** The ends of the instances' logs. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** The same of each further job, by its name: its own runs, commits, traces and nodes; absent: the job is alone. */
  readonly others?: ReadonlyMap<string, Recording>;
}
