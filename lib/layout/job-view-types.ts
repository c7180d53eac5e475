import { type JobConfiguration } from '../api/job/job-configuration.js';
import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { type AcceptedTriggers } from './x-node/accepted-triggers.js';
import { type AssignmentRecord } from './x-node/assignment-record.js';
import { type BeginRecord } from './x-node/begin-record.js';
import { type CrashedRun } from './x-node/crash-report.js';
import { type GraphView } from './x-node/graph-view.js';
import { type GuaranteeView } from './x-node/guarantee-view.js';
import { type ItemView } from './item-view.js';

/** Everything the registry centre knows of one job at one moment. Immutable. */
export interface JobView {
  /** True if the job's root node is there. */
  readonly exists: boolean;
  /** The job's name, class name or type, as its root node has it; `undefined` if that is empty or absent. */
  readonly jobClass: string | undefined;
  /** `undefined` if there is none, or if it cannot be read: then `configFault` has the reason. */
  readonly config: JobConfiguration | undefined;
  /** Faults for which the stored configuration cannot be used: complete sentences naming the path. */
  readonly configFault: string | undefined;
  /** Revision of the last write of the configuration; `undefined` if there is none. */
  readonly configRevision: number | undefined;
  /** Version of the configuration's node, to check when rewriting it; `undefined` if there is none. */
  readonly configVersion: number | undefined;
  /** All living instances by id, those that get no items too. */
  readonly instances: ReadonlyMap<string, InstanceView>;
  /**
   * Ids of our instances whose process has not ended as far as the registry centre knows. An instance that is here and
   * not among `instances` is stopping.
   */
  readonly live: ReadonlySet<string>;
  /** Ids of our instances that have stopped, as opposed to crashed; the latest first, and only some. */
  readonly withdrawn: readonly string[];
  /**
   * Ids of those `instances` that are Java ElasticJob's: they have neither a sign of life (`live`) nor a begin record,
   * and had none in any earlier view since they appeared.
   */
  readonly javaPeers: ReadonlySet<string>;
  readonly servers: ReadonlyMap<string, ServerStatus>;
  /** Id of the leader. */
  readonly leader: string | undefined;
  /**
   * Id of the session that keeps the leader's node. `undefined` if there is no leader, or if the node is persistent:
   * then a copy or a backup made it, because instances only make it with their session.
   */
  readonly leaderSession: string | undefined;
  /** True if the items must be assigned again; no instance may begin a run meanwhile. */
  readonly reshardingNeeded: boolean;
  /** Version of the node that requests the assignment; `undefined` if there is no request. */
  readonly reshardingVersion: number | undefined;
  /** True if a leader has noted that it is assigning the items now. */
  readonly processing: boolean;
  /** Version of the items' parent node, which our leaders increase with each request and each assignment. */
  readonly shardingVersion: number | undefined;
  /** The record of the last assignment that one of our leaders has made; `undefined` if none has made any. */
  readonly assignmentRecord: AssignmentRecord | undefined;
  /** In ascending order; as many as were assigned last, which may differ from the number in `config`. */
  readonly items: readonly ItemView[];
  /** Names of nodes beside the items that are no items, because they are no numbers. */
  readonly strayItems: readonly string[];
  /** Ids of instances that are to run now. */
  readonly triggers: ReadonlySet<string>;
  /**
   * By instance, living or not: the items for which it has accepted a trigger, and that no instance has begun since.
   */
  readonly acceptedTriggers: ReadonlyMap<string, AcceptedTriggers>;
  /** Items waiting to be taken over, in ascending order. */
  readonly crashedItems: readonly number[];
  /**
   * The run that was cut short, by item, until it has been run again. Not for items that only a Java instance has
   * reported.
   */
  readonly crashReports: ReadonlyMap<number, CrashedRun>;
  /** Items that have reported their start, or completion, to the listeners that run once for the cluster. */
  readonly startedItems: ReadonlySet<number>;
  readonly completedItems: ReadonlySet<number>;
  /** The same facts from our own instances' records, with the firing they belong to. */
  readonly guarantee: GuaranteeView;
  /** Ip of the next runner, with SINGLE_SHARDING_BALANCE. */
  readonly nextJobInstanceIp: string | undefined;
  /**
   * Instant, in milliseconds since 1970, for which each item was last begun by any of our instances, living or not, as
   * far as their records have been read. For an item that a leader has re-added since: the last instant before that.
   */
  readonly lastBegun: ReadonlyMap<number, number>;
  /** By item: the last run key, in milliseconds since 1970, for which one of our instances has begun it. */
  readonly lastKeys: ReadonlyMap<number, number>;
  /**
   * Items whose last run was begun manually, after the instant in `lastBegun`, with its own `jobParameter` if it has
   * one.
   */
  readonly manuallyBegun: ReadonlyMap<number, string | undefined>;
  /** The runs that each instance has begun by itself, by its id; `undefined` for a record that has not been read. */
  readonly beginRecords: ReadonlyMap<string, BeginRecord | undefined>;
  /** What concerns the graph that the job belongs to. */
  readonly graph: GraphView;
}

/** A living instance. */
export interface InstanceView extends JobInstance {
  /** Id of the session it lives with; `undefined` if its node is persistent, which only copies and backups make. */
  readonly session: string | undefined;
  /** A field of Java's instances that Java 3.0 never sets. Only if it is set. */
  readonly labels?: string;
  /**
   * True if its node's text describes it. If not (emptied, or overwritten with `TRIGGER`), the instance lives but gets
   * no items, its id is the node's name and its ip the part of that before `@-@`.
   */
  readonly readable: boolean;
}

/**
 * Status of a server: its instances are given items only if it is `ENABLED`. `UNKNOWN` is any other text; Java ≤ 2
 * wrote the empty text for enabled, Java 3 waits a second for another value and then takes it for not enabled.
 */
export type ServerStatus = 'ENABLED' | 'DISABLED' | 'UNKNOWN';
