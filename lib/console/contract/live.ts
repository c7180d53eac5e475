import { type JobRow, type ShardRow } from './jobs.js';
import { type RegistryStatus } from './registries.js';

/**
 * The events of `GET /api/v1/registries/{r}/events?job=` (text/event-stream): the type is the event's name, the rest
 * its data.
 */
export type LiveEvent =
  /** A job is new or has changed. */
  | { readonly type: 'job'; readonly job: JobRow }
  | { readonly type: 'job-removed'; readonly jobName: string }
  /** Items of the job that `job=` names: the changed ones, without their last runs, and the removed ones. */
  | {
      readonly type: 'shards';
      readonly jobName: string;
      readonly shards: readonly ShardRow[];
      readonly gone?: readonly number[];
      /** More items have changed than are sent: the page reads all of them. */
      readonly mustBeRead?: true;
    }
  /** Instances of a job are new or gone; the page reads them again. */
  | { readonly type: 'instances'; readonly jobName: string }
  | { readonly type: 'config'; readonly jobName: string; readonly version: number }
  /** The record of the rounds of a job in a graph has changed; the page reads the graph again. */
  | { readonly type: 'graph'; readonly jobName: string }
  | { readonly type: 'servers' }
  | { readonly type: 'registry'; readonly status: RegistryStatus }
  /** Events were left out: the page reads everything again. */
  | { readonly type: 'resync' }
  /** The session has ended, or the console stops: the page does not connect again by itself. */
  | { readonly type: 'bye'; readonly reason: 'logged-out' | 'stopping' };
