import { RegistryConflictError, type RegistryOutcomeUnknownError } from '../../../api/errors/errors.js';
import { isOutcomeUnknown } from '../../../api/errors/registry-errors.js';
import { type MirroredNode, type Operation } from '../../registry-center.js';
import { parentPath } from '../../node-paths.js';
import { type Namespace } from '../namespace.js';
import { type NodeCreation } from './node-creation.js';
import { mirrored } from './node-reads.js';
import { type OwnWrites, type WriteEffects, type WriteOutcome } from './own-writes.js';
import { type ReadNode, toRevision } from '../mirror/subtree-copy.js';
import { type MultiOperation, type MultiResult, type ZooKeeperRequests } from '../transport.js';
import { type Call } from '../zookeeper-call.js';
import { isAnswer } from '../zookeeper-failures.js';

const ANY_VERSION = -1;

/** Dependencies of a commit. */
export interface CommitContext {
  readonly namespace: Namespace;
  readonly writes: OwnWrites;
  readonly creation: NodeCreation;
}

/** A transaction whose answer was lost. */
interface LostTransaction {
  readonly unknown: RegistryOutcomeUnknownError;
  /** The newest transaction that was known when it was requested; its own number is greater. */
  readonly before: bigint;
}

/**
 * Carries out all operations as one transaction, or none. A transaction whose answer was lost is never repeated
 * blindly: the state of its nodes may prove that it was carried out, or that it was not.
 * @returns the revision of the transaction
 * @throws RegistryConflictError if an operation does not fit
 * @throws RegistryOutcomeUnknownError if the answer was lost and nothing is proven
 */
export async function commit(context: CommitContext, call: Call, operations: readonly Operation[]): Promise<number> {
  let rooted = false;
  let lost: LostTransaction | undefined;
  for (;;) {
    const before = context.writes.newestZxid;
    try {
      return await send(context, call, operations);
    } catch (error) {
      const conflict = conflictOf(operations, error);
      if (conflict && !rooted && isTopmostCreation(operations, conflict)) {
        // ZooKeeper removes the namespace node when it is empty; for the caller the node always exists.
        rooted = true;
        await context.creation.createParents(call, conflict.path);
        continue;
      }
      if (isOutcomeUnknown(error)) lost ??= { unknown: error, before };
      else if (!conflict || !lost) throw conflict ?? error;
      // After a conflict too: the repetition may conflict with the lost transaction itself, carried out since the last
      // reading.
      const revision = await findOut(context, call, { operations, lost });
      if (revision !== undefined) return revision;
      if (conflict) throw conflict;
    }
  }
}

async function send(
  { namespace, writes }: CommitContext,
  call: Call,
  operations: readonly Operation[],
): Promise<number> {
  const effects = effectsOf(operations);
  const { zxid } = await call.write(({ transport, sessionId }, isAwaited) =>
    writes.track(
      effects,
      () =>
        transport.multiTogether(
          operations.flatMap((operation) => toMulti(namespace, operation)),
          isAwaited,
        ),
      (result) => outcomeOf(operations, result, sessionId),
    ),
  );
  writes.saw(zxid);
  return toRevision(zxid);
}

/** ZooKeeper's operations for one of the port: one, or two for a `replace`. */
function toMulti(namespace: Namespace, operation: Operation): readonly MultiOperation[] {
  const path = namespace.at(operation.path);
  const version = ('version' in operation ? operation.version : undefined) ?? ANY_VERSION;
  switch (operation.type) {
    case 'check':
      return [{ type: 'check', path, version }];
    case 'create':
      return [creation(path, operation)];
    case 'set':
      return [{ type: 'setData', path, data: Buffer.from(operation.value), version }];
    case 'replace':
      return [{ type: 'delete', path, version }, creation(path, operation)];
    case 'remove':
      return [{ type: 'delete', path, version }];
    default:
      return operation satisfies never;
  }
}

function creation(
  path: string,
  { value, lifetime }: Extract<Operation, { type: 'create' | 'replace' }>,
): MultiOperation {
  return { type: 'create', path, data: Buffer.from(value), mode: lifetime === 'session' ? 'ephemeral' : 'persistent' };
}

/** The operation that each part of the transaction belongs to. */
function parts(operations: readonly Operation[]): readonly Operation[] {
  return operations.flatMap<Operation>((each) => (each.type === 'replace' ? [each, each] : each));
}

function effectsOf(operations: readonly Operation[]): WriteEffects {
  const events = new Map<string, number>();
  for (const { type, path } of parts(operations)) if (type !== 'check') events.set(path, (events.get(path) ?? 0) + 1);
  return { events };
}

function outcomeOf(operations: readonly Operation[], { zxid, stats }: MultiResult, sessionId: string): WriteOutcome {
  const revision = toRevision(zxid);
  const outcome = new Map<string, MirroredNode | undefined>();
  for (const [index, operation] of parts(operations).entries()) {
    const stat = stats[index];
    if (operation.type === 'create' || operation.type === 'replace') {
      const session = operation.lifetime === 'session' ? sessionId : undefined;
      outcome.set(operation.path, { value: operation.value, version: 0, revision, session });
    } else if (operation.type === 'set' && stat) outcome.set(operation.path, mirrored(operation.value, stat));
    else if (operation.type === 'remove') outcome.set(operation.path, undefined);
  }
  return outcome;
}

function conflictOf(operations: readonly Operation[], error: unknown): RegistryConflictError | undefined {
  if (!isAnswer(error, 'NO_NODE', 'NODE_EXISTS', 'BAD_VERSION', 'NOT_EMPTY')) return undefined;
  const misfit = parts(operations)[error.failedIndex ?? 0];
  if (!misfit) return undefined;
  const reason = error.errorName === 'NO_NODE' ? 'absent' : error.errorName === 'NODE_EXISTS' ? 'exists' : 'changed';
  return new RegistryConflictError(misfit.path, reason);
}

function isTopmostCreation(operations: readonly Operation[], { path, reason }: RegistryConflictError): boolean {
  const isCreated = operations.some((operation) => operation.type === 'create' && operation.path === path);
  return isCreated && reason === 'absent' && parentPath(path) === '/';
}

/**
 * Finds out whether a lost transaction was carried out.
 * @returns its revision if it was carried out, undefined if it was not
 * @throws RegistryOutcomeUnknownError if neither is proven
 */
async function findOut(
  { namespace }: CommitContext,
  call: Call,
  { operations, lost }: { readonly operations: readonly Operation[]; readonly lost: LostTransaction },
): Promise<number | undefined> {
  const final = new Map(operations.filter(({ type }) => type !== 'check').map((each) => [each.path, each]));
  const paths = [...final.keys()];
  try {
    const nodes = await call.read(({ transport }) =>
      readTogether(
        transport,
        paths.map((path) => namespace.at(path)),
      ),
    );
    const traces = [...final.values()].map((operation, index) => traceOf(operation, nodes[index], lost.before));
    const done = proofOfDone(traces, call.sessionId);
    if (done !== undefined) return toRevision(done);
    if (traces.some(({ type }) => type === 'untouched')) return undefined;
  } catch {
    // The error below says that nothing is proven.
  }
  throw lost.unknown;
}

async function readTogether(
  transport: ZooKeeperRequests,
  serverPaths: readonly string[],
): Promise<readonly (ReadNode | undefined)[]> {
  const [first] = serverPaths;
  if (first === undefined) return [];
  const [, nodes] = await Promise.all([transport.sync(first), transport.multiRead(serverPaths)]);
  return nodes;
}

/** Trace that an operation has left at its node, if it was carried out. */
type Trace =
  /** The node has not changed since before the transaction, which was not carried out then. */
  | { readonly type: 'untouched' }
  /** The node is as the operation would have left it; `zxid` is the transaction that wrote it. */
  | { readonly type: 'written'; readonly zxid: bigint; readonly session: string | undefined }
  | { readonly type: 'removed' }
  /** Others have changed the node, or it proves nothing. */
  | { readonly type: 'other' };

function traceOf(operation: Operation, node: ReadNode | undefined, before: bigint): Trace {
  if (!node) return operation.type === 'remove' ? { type: 'removed' } : { type: 'other' };
  const { mzxid, ephemeralOwner } = node.stat;
  if (mzxid <= before) return { type: 'untouched' };
  if (operation.type !== 'create' && operation.type !== 'replace' && operation.type !== 'set') return { type: 'other' };
  const isOurs = node.data.toString() === operation.value;
  return isOurs ? { type: 'written', zxid: mzxid, session: ephemeralOwner } : { type: 'other' };
}

/**
 * The transaction, if the traces prove that it was ours. A node that lives with our session can only be ours. If one
 * transaction has left several nodes exactly as requested, it was ours too; a single node proves nothing, since a peer
 * may have written the same.
 */
function proofOfDone(traces: readonly Trace[], sessionId: string | undefined): bigint | undefined {
  const written = traces.filter((trace) => trace.type === 'written');
  const mine = written.find(({ session }) => session !== undefined && session === sessionId);
  if (mine) return mine.zxid;
  const [first] = written;
  const isComplete = traces.every((trace) => trace.type === 'written' || trace.type === 'removed');
  const isTogether = written.length > 1 && written.every(({ zxid }) => zxid === first?.zxid);
  return isComplete && isTogether ? first?.zxid : undefined;
}
