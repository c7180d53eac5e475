import { type JobPaths } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { type MirroredNode } from '../../registry/registry-center.js';
import { type WantedNode } from '../node-changes.js';

/** `critical`: items do not run. `warning`: something does not run as wished, or will not. `notice`: worth knowing. */
export type Severity = 'critical' | 'warning' | 'notice';

/** Something that is not as it should be. */
export interface Finding {
  readonly type: FindingType;
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
  parts: Omit<Symptom, 'jobName' | 'subject' | 'fix'> & {
    readonly subject?: string;
    readonly fix?: string | undefined;
  },
): Symptom {
  return { subject: '', fix: undefined, ...parts, jobName };
}
