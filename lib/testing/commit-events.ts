import { type JobPath, type JobPaths } from '../layout/job-paths.js';
import { type WatchedCommit } from '../registry/embedded/embedded-namespace.js';
import { type NodeChange, type StoredNode } from '../registry/embedded/node-tree.js';
import { type ClusterHappening } from './events.js';

/** The facts about a cluster that are needed to explain a commit. */
export interface CommitReading {
  readonly paths: JobPaths;
  readonly nameOf: (id: string) => string;
  /** Items by the name of their owner, as they are after the commit. */
  readonly owners: () => Readonly<Record<string, readonly number[]>>;
  /** Returns true if the session has ended. The registry then removes its nodes, not the instance itself. */
  readonly hasEnded: (session: string) => boolean;
}

/** The events of the job that a commit to the registry stands for. Many writes of instances stand for no event. */
export function eventsOf({ session, changes }: WatchedCommit, reading: CommitReading): readonly ClusterHappening[] {
  const events = changes.flatMap((change) => {
    const event = eventOf(reading.paths.parse(change.path), change, { ...reading, session });
    return event === undefined ? [] : [event];
  });
  const isAssignment = changes.some(({ path }) => isOwner(reading.paths.parse(path)));
  return isAssignment ? [...events, { type: 'assigned', owners: reading.owners() }] : events;
}

function eventOf(
  path: JobPath,
  { before, after }: NodeChange,
  { nameOf, hasEnded, session }: CommitReading & { readonly session: string },
): ClusterHappening | undefined {
  const isNew = before === undefined;
  switch (path.type) {
    case 'instance':
      if (isNew) return { type: 'joined', instance: nameOf(path.id) };
      return after ? undefined : { type: hasEnded(session) ? 'session-ended' : 'left', instance: nameOf(path.id) };
    case 'leader':
      return after && { type: 'leads', instance: nameOf(after.value) };
    case 'trigger':
      return isNew ? { type: 'triggered', instance: nameOf(path.id) } : undefined;
    case 'crashedItem':
      return isNew ? { type: 'crash-reported', item: path.item } : undefined;
    case 'config':
      return before && after && { type: 'reconfigured' };
    case 'server':
      if (after === undefined || after.value === (before?.value ?? 'ENABLED')) return undefined;
      return { type: after.value === 'DISABLED' ? 'server-disabled' : 'server-enabled', ip: path.ip };
    case 'itemMark':
      return ofMark(path, after, nameOf);
    default:
      return undefined;
  }
}

function ofMark(
  { item, mark }: Extract<JobPath, { readonly type: 'itemMark' }>,
  after: StoredNode | undefined,
  nameOf: (id: string) => string,
): ClusterHappening | undefined {
  if (mark === 'failover') return after && { type: 'taken-over', item, instance: nameOf(after.value) };
  if (mark === 'misfire') return after && { type: 'misfired', item };
  if (mark === 'disabled') return { type: after ? 'item-disabled' : 'item-enabled', item };
  return undefined;
}

function isOwner(path: JobPath): boolean {
  return path.type === 'itemMark' && path.mark === 'instance';
}
