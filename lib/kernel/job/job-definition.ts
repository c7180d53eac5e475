import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type ElasticJob } from '../../api/job/job.js';

/** A job as this process defines it: its settings, and the code or type that does its work. */
export interface JobDefinition {
  /** The settings given here. Those in the registry centre come before them unless `overwrite` is set. */
  readonly configuration: JobConfiguration;
  /** The job object, or the type of a job that has no class. */
  readonly job: ElasticJob | string;
  /**
   * The text of the job's root node: the class name or the type of a Java job that this one joins, or the type of a job
   * without class. Absent for a Node job, whose name is stored.
   */
  readonly jobClassName?: string;
  /** Java versions that can read a stored thread pool setting. Default: since 3.0.5. */
  readonly compatibility?: '3.0.4' | '3.0.5';
  /** Name of the code that defines the job, for messages: `provider SyncOrdersJob`. */
  readonly owner: string;
}
