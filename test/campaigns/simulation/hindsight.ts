/**
 * The data for an operator who asks in the middle of a history: the registry centre's nodes of that moment, and records
 * of the past.
 */
import { type OperationRecord } from '../../../lib/api/events/operation-record.js';
import { type JobView, readJobView } from '../../../lib/layout/job-view.js';
import { taskId } from '../../../lib/layout/task-id.js';
import { changedSettings } from '../../../lib/operations/changes/setting-changes.js';
import { type Past } from '../../../lib/operations/explain/explanation.js';
import { explain } from '../../../lib/operations/explain/explain.js';
import { type Explanation } from '../../../lib/operations/explain/explanation.js';
import { type MirroredNode } from '../../../lib/registry/registry-center.js';
import { idOf } from '../../support/views.js';
import { configurationOf } from './configuration.js';
import { type Evidence } from './evidence.js';
import { type Commit } from './recording.js';
import { START } from './world.js';

/** A question in a history. Times in milliseconds since its beginning. */
export interface Asked {
  readonly item: number;
  readonly instantMs: number;
  readonly nowMs: number;
  /** True if the records of operations and the trace are read, besides the registry centre. */
  readonly past: 'unread' | 'read';
}

/** The explanation at a moment of the history. */
export function explainIn(evidence: Evidence, { item, instantMs, nowMs, past }: Asked): Explanation {
  return explain({
    view: viewAt(evidence, nowMs),
    paths: evidence.paths,
    fullPath: (path) => path,
    faults: [],
    item,
    instant: START + instantMs,
    now: START + nowMs,
    past:
      past === 'read' ? pastAt(evidence, nowMs) : { executions: undefined, states: undefined, operations: undefined },
  });
}

const SESSION_NODES = /\/(?:instances\/|x-node\/live\/|leader\/election\/instance|leader\/sharding\/processing)/;

function viewAt({ recording, paths }: Evidence, ms: number): JobView {
  const nodes = new Map<string, MirroredNode>();
  for (const { atMs, revision, by, changes } of recording.commits) {
    if (atMs > ms) break;
    for (const { path, after } of changes) {
      const version = (nodes.get(path)?.version ?? -1) + 1;
      const session = SESSION_NODES.test(path) ? `session of ${by}` : undefined;
      if (after === undefined) nodes.delete(path);
      else nodes.set(path, { value: after, version, revision, session });
    }
  }
  return readJobView(nodes, paths.jobName);
}

function pastAt({ recording, paths }: Evidence, ms: number): Past {
  const at = (each: number): Date => new Date(START + each);
  const executions = recording.runs
    .filter(({ begunMs }) => begunMs <= ms)
    .map((run) => {
      const endedMs = (run.endedMs ?? Infinity) <= ms ? run.endedMs : undefined;
      return {
        ...{ shardingItem: run.item, source: 'NORMAL_TRIGGER' as const, startTime: at(run.begunMs) },
        taskId: taskId({ jobName: paths.jobName, items: [run.item], jobInstanceId: idOf(run.instance) }),
        completeTime: endedMs === undefined ? undefined : at(endedMs),
        ...{ success: run.end === 'completed' && endedMs !== undefined, failureCause: undefined },
      };
    })
    .reverse();
  const operations = recording.commits
    .filter(({ by, atMs }) => by === 'operator' && atMs <= ms)
    .map((commit) => operationOf(commit, paths.config))
    .reverse();
  return { executions, states: [], operations };
}

function operationOf({ atMs, revision, changes }: Commit, config: string): OperationRecord {
  const before: Record<string, string> = {};
  const after: Record<string, string> = {};
  for (const change of changes) {
    if (change.path === config) {
      const [was, is] = [change.before, change.after].map((text) =>
        text === undefined ? undefined : configurationOf(text),
      );
      for (const each of changedSettings(was, is)) {
        if (each.before !== undefined) before[each.setting] = each.before;
        if (each.after !== undefined) after[each.setting] = each.after;
      }
    } else {
      if (change.before !== undefined) before[change.path] = change.before;
      if (change.after !== undefined) after[change.path] = change.after;
    }
  }
  return {
    ...{ id: String(revision), operation: 'disable', jobName: 'bill', serverIp: undefined, item: undefined },
    ...{
      registryCenter: undefined,
      operator: 'anna',
      reason: undefined,
      startedAt: new Date(START + atMs),
      before,
      after,
    },
    ...{ outcome: 'done', error: undefined },
  };
}
