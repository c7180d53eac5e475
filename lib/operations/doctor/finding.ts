import { type CodeValues } from '../explain/codes.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { type MirroredNode } from '../../registry/registry-center.js';
import { type WantedNode } from '../changes/node-changes.js';

/** `critical`: items do not run. `warning`: something does not run as wished, or will not. `notice`: worth knowing. */
export type Severity = 'critical' | 'warning' | 'notice';

/** Something that is not as it should be. */
export interface Finding {
  readonly type: FindingType;
  /** The sentences as a code. */
  readonly code: FindingCode;
  /** What the sentences are made from. */
  readonly values: CodeValues;
  /** The command line that mends it, if there is one. */
  readonly command?: string;
  readonly severity: Severity;
  /** `undefined`: it concerns the whole namespace. */
  readonly jobName: string | undefined;
  /** Which items, instances or servers of the job it concerns, as people read them; empty: all of it. */
  readonly subject: string;
  /** What is the case, as one sentence. */
  readonly sentence: string;
  /** What follows from it, as one sentence. */
  readonly consequence: string;
  /** What to do, as one or two sentences. */
  readonly cure: string;
  /** What `DoctorAPI.fix` would do, as a sentence; `undefined` if no change is known to be safe. */
  readonly fix: string | undefined;
}

/** What can be found. */
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
  | 'open-nodes';

/**
 * Each sentence about a finding, for those who word it in another language. A type whose states differ has a code a
 * state.
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
  'open-nodes',
] as const;

/** One of them. */
export type FindingCode = (typeof FINDING_CODES)[number];

/** What examining one job goes by. */
export interface JobCase {
  readonly jobName: string;
  readonly paths: JobPaths;
  readonly nodes: ReadonlyMap<string, MirroredNode>;
  readonly view: JobView;
  /** A path as operators' tools show it. */
  readonly fullPath: (path: string) => string;
  /** The registry centre's time in milliseconds since 1970; `undefined` if it is not known. */
  readonly registryTime: number | undefined;
}

/** What an examination finds in one job, with the nodes that would have to be changed. */
export interface Symptom extends Finding {
  readonly changes?: readonly WantedNode[];
}

/** Looks for one kind of trouble. */
export type Check = (job: JobCase) => readonly Symptom[];

/** A symptom without what all of a job have in common. */
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
