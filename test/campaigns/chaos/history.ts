/**
 * The records of a campaign, which are all input of the checker. Every time is in milliseconds of the machine's
 * monotonic clock (`CLOCK_MONOTONIC`, the same for all processes), but for instants of schedules, which are
 * milliseconds since 1970.
 */

/** A job that every instance hosts. */
export interface JobSpec {
  readonly name: string;
  /** Unused if the job runs after others. */
  readonly cron: string;
  /** The jobs after which it runs, each round in turn. Absent: it fires by its cron expression. */
  readonly after?: readonly string[];
  /** Each item follows those of its number. Absent: it follows whole rounds. */
  readonly afterItems?: 'same';
  /** The cron expression's period; instants are its multiples. */
  readonly periodMs: number;
  readonly items: number;
  readonly failover: boolean;
  readonly misfire: boolean;
  readonly monitorExecution: boolean;
  /** How many steps the items take: item 0 the first number, and so on, from the start again when they are used up. */
  readonly steps: readonly number[];
  readonly stepMs: number;
}

/** One process: an instance from one start to the next. */
export interface ProcessLife {
  /** `C#3`: the third process of instance C. */
  readonly name: string;
  readonly pid: number;
  readonly bornAt: number;
  /** When it was known to be gone; `undefined` if it lives. */
  readonly diedAt: number | undefined;
}

/** A line of a process's own log. */
export type LogEvent = { readonly process: string; readonly t: number } & (
  | { readonly event: 'ready' }
  | {
      readonly event: 'start';
      readonly run: number;
      readonly job: string;
      readonly item: number;
      readonly scheduledAt: number | undefined;
      readonly fencingToken: number;
    }
  /** `abort`: its signal says that it is to end. `aborted`: it has ended for that. */
  | { readonly event: 'step' | 'end' | 'abort' | 'aborted'; readonly run: number }
  /** The process did not get to run since `from`; `t` is the end of the event-loop turn in which it did again. */
  | { readonly event: 'stall'; readonly from: number }
  /** In which phase each job is from now on, as the library's health report says it. */
  | { readonly event: 'phases'; readonly jobs: Readonly<Record<string, string>> }
  | { readonly event: 'log'; readonly level: string; readonly message: string }
);

/** The kinds of registry centres that a campaign can be run on. */
export const REGISTRY_KINDS = ['zookeeper', 'postgresql', 'etcd'] as const;
export type RegistryKind = (typeof REGISTRY_KINDS)[number];

/** Faults of an instance's process or network, which every registry centre meets. */
export const INSTANCE_FAULTS = [
  'kill',
  'freeze past the session',
  'freeze within the session',
  'stop and restart',
  'cut both ways',
  'cut sending',
  'cut receiving',
  'slow network',
  'reset connections',
] as const;

/** Faults of the servers, by the kind of the registry centre. */
export const SERVER_FAULTS = {
  zookeeper: ['kill a follower', 'kill the leader', 'freeze the leader'],
  postgresql: [
    'end all connections',
    'restart the server',
    'crash the server',
    'freeze the server',
    'fail over to the standby',
  ],
  etcd: ['kill a follower', 'kill the leader', 'freeze the leader', 'move the leader'],
} as const satisfies Readonly<Record<RegistryKind, readonly string[]>>;

export type ServerFaultKind = (typeof SERVER_FAULTS)[RegistryKind][number];
export type FaultKind = (typeof INSTANCE_FAULTS)[number] | ServerFaultKind;

/** All faults of a campaign on a registry centre of this kind. */
export function faultKinds(registry: RegistryKind): readonly FaultKind[] {
  return [...INSTANCE_FAULTS, ...SERVER_FAULTS[registry]];
}

/** Whether a fault is one of the servers, which all instances may feel. */
export function isOfServers({ kind }: { readonly kind: FaultKind }): boolean {
  return Object.values(SERVER_FAULTS).some((kinds) => (kinds as readonly FaultKind[]).includes(kind));
}

/** A fault of the cluster, and the time of its repair. */
export interface Fault {
  readonly number: number;
  readonly kind: FaultKind;
  /** The process, or the server of the registry centre; several, if the process was replaced meanwhile. */
  readonly targets: readonly string[];
  readonly from: number;
  /** When it was made good: healed, continued, or replaced by a process or server that is ready. */
  readonly to: number;
}

/** How a job stood in the registry centre from `t` on, as a bystander saw it. */
export interface Moment {
  readonly t: number;
  readonly job: string;
  /** False while the bystander had no connection: anything may have happened. */
  readonly isSeen: boolean;
  /** True if the items must be assigned again. */
  readonly isResharding: boolean;
  /** Instance id by item; empty if it has no owner. */
  readonly owners: readonly string[];
  /** Ids of registered instances. */
  readonly living: readonly string[];
  /** Items that bear a mark of a run, of a crash, or of a takeover. */
  readonly marked: readonly number[];
}

/** All that is known of a campaign. */
export interface History {
  readonly registry: RegistryKind;
  readonly jobs: readonly JobSpec[];
  readonly processes: readonly ProcessLife[];
  /** By process in the order in which it wrote them. */
  readonly events: readonly LogEvent[];
  readonly faults: readonly Fault[];
  readonly moments: readonly Moment[];
  /** Times at which the registry centre took no writes. */
  readonly outages: readonly { readonly from: number; readonly to: number }[];
  /** Instants from `from` to `to` are accounted for; everything was in order at both. */
  readonly from: number;
  readonly to: number;
  /** To be added to a monotonic time for milliseconds since 1970. */
  readonly wallOffset: number;
  readonly sessionMs: number;
}

/** Something that must not be. */
export interface Finding {
  readonly kind: FindingKind;
  readonly text: string;
  /** Where to look: around this time … */
  readonly t: number;
  /** … and at this item. */
  readonly job?: string;
  readonly item?: number;
}

export type FindingKind =
  | 'miss'
  | 'late'
  | 'early'
  | 'wrong instant'
  | 'double'
  | 'overlap'
  | 'stale step'
  | 'token'
  | 'not rescued'
  | 'rescued late'
  | 'round early'
  | 'round missed'
  | 'unended'
  | 'stuck'
  | 'residue'
  | 'process';
