import { type CodeValues } from '../explain/codes.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { type MirroredNode } from '../../registry/registry-center.js';
import { type WantedNode } from '../changes/node-changes.js';

/** The weight of a finding. */
export type Severity =
  /** Items do not run. */
  | 'critical'
  /** Something does not run as configured, or will not. */
  | 'warning'
  /** Worth knowing. */
  | 'notice';

/** A problem of a job or of a namespace, with its consequence and its cure. */
export interface Finding {
  readonly type: FindingType;
  /** The code of the sentences, for other languages. */
  readonly code: FindingCode;
  /** The values that the sentences contain, for other languages. */
  readonly values: CodeValues;
  /** A command line that solves the problem, if there is one. */
  readonly command?: string;
  readonly severity: Severity;
  /** `undefined` if the problem concerns the whole namespace. */
  readonly jobName: string | undefined;
  /** The items, instances or servers that have the problem, as text for people; empty if the whole job has it. */
  readonly subject: string;
  /** The problem in one sentence. */
  readonly sentence: string;
  /** The consequence of the problem in one sentence. */
  readonly consequence: string;
  /** Advice in one or two sentences. */
  readonly cure: string;
  /** The change that `DoctorAPI.fix` would make, as a sentence; `undefined` if no change is known to be safe. */
  readonly fix: string | undefined;
}

/** The kinds of problems that the doctor knows. */
export type FindingType =
  | 'hidden-job'
  | 'no-configuration'
  | 'unreadable-configuration'
  | 'unusable-settings'
  | 'no-instance'
  | 'servers-disabled'
  | 'dead-leader'
  | 'persistent-node'
  | 'unassigned'
  | 'unowned-items'
  | 'dead-owner'
  | 'stale-running'
  | 'stale-failover'
  | 'stale-crash'
  | 'stale-misfire'
  | 'stale-trigger'
  | 'offline-server'
  | 'unknown-server-status'
  | 'unreadable-instance'
  | 'stray-item'
  | 'mixed-versions'
  | 'clock-ahead'
  | 'clock-difference'
  | 'graph-cycle'
  | 'graph-unknown-upstream'
  | 'graph-unequal-items'
  | 'graph-unrecorded'
  | 'graph-also-cron'
  | 'upstream-unscheduled'
  | 'upstream-without-instance'
  | 'upstream-disabled'
  | 'upstream-on-java'
  | 'upstream-round-open'
  | 'stale-successor'
  | 'open-nodes'
  | 'slow-registry'
  | 'postgresql-standby'
  | 'postgresql-unsafe'
  | 'postgresql-asynchronous'
  | 'postgresql-connections'
  | 'postgresql-polled'
  | 'postgresql-pooled'
  | 'postgresql-vacuum'
  | 'postgresql-bloat'
  | 'etcd-alarm'
  | 'etcd-space'
  | 'etcd-max-txn-ops'
  | 'etcd-open'
  | 'etcd-single'
  | 'etcd-members'
  | 'etcd-version'
  | 'etcd-mixed'
  | 'etcd-history';

/**
 * The codes of all sentences about findings, for translations. If the states of a type need different sentences, each
 * state has its own code: `dead-owner.static`.
 */
export const FINDING_CODES = [
  'hidden-job',
  'no-configuration',
  'unreadable-configuration',
  'unusable-settings',
  'no-instance',
  'servers-disabled',
  'dead-leader',
  'dead-leader.persistent',
  'persistent-node',
  'unassigned',
  'unassigned.waits',
  'unowned-items',
  'unowned-items.static',
  'dead-owner',
  'dead-owner.static',
  'stale-running',
  'stale-running.failover',
  'stale-failover',
  'stale-failover.failover',
  'stale-crash.failover-off',
  'stale-crash.no-instance',
  'stale-misfire',
  'stale-trigger',
  'offline-server',
  'offline-server.disabled',
  'offline-server.many',
  'unknown-server-status',
  'unreadable-instance',
  'stray-item',
  'mixed-versions',
  'clock-ahead',
  'clock-difference.ahead',
  'clock-difference.behind',
  'graph-cycle',
  'graph-unknown-upstream',
  'graph-unknown-upstream.meant',
  'graph-unequal-items',
  'graph-unrecorded',
  'graph-also-cron',
  'upstream-unscheduled',
  'upstream-without-instance',
  'upstream-disabled',
  'upstream-on-java',
  'upstream-round-open',
  'stale-successor',
  'open-nodes',
  'slow-registry',
  'postgresql-standby',
  'postgresql-unsafe',
  'postgresql-asynchronous',
  'postgresql-connections',
  'postgresql-polled',
  'postgresql-pooled',
  'postgresql-vacuum',
  'postgresql-bloat',
  'etcd-alarm',
  'etcd-space',
  'etcd-max-txn-ops',
  'etcd-open',
  'etcd-single',
  'etcd-members',
  'etcd-version',
  'etcd-mixed',
  'etcd-history',
] as const;

/** The code of the sentences about one finding. */
export type FindingCode = (typeof FINDING_CODES)[number];

/** The data about one job that the checks read. */
export interface JobCase {
  readonly jobName: string;
  readonly paths: JobPaths;
  readonly nodes: ReadonlyMap<string, MirroredNode>;
  readonly view: JobView;
  /** Adds the namespace to a path, as operators' tools show it. */
  readonly fullPath: (path: string) => string;
  /** The registry centre's time in milliseconds since 1970; `undefined` if it is not known. */
  readonly registryTime: number | undefined;
}

/** A finding in one job, with the changes of nodes that solve the problem. */
export interface Symptom extends Finding {
  readonly changes?: readonly WantedNode[];
}

/** Looks for one kind of problem. */
export type Check = (job: JobCase) => readonly Symptom[];

/** Makes a symptom of a job; parts that are not given get their defaults. */
export function symptom(
  { jobName }: Pick<JobCase, 'jobName'>,
  parts: Omit<Symptom, 'jobName' | 'subject' | 'fix' | 'values'> & {
    readonly subject?: string;
    readonly values?: Symptom['values'];
    readonly fix?: string | undefined;
  },
): Symptom {
  return { subject: '', fix: undefined, values: {}, ...parts, jobName };
}
