import { RegistryConflictError, type RegistryOutcomeUnknownError } from '../../../api/errors.js';
import { isOutcomeUnknown } from '../../../api/registry-errors.js';
import { type MirroredNode, type Operation } from '../../registry-center.js';
import { parentPath } from '../../node-paths.js';
import { type Namespace } from '../namespace.js';
import { type NodeCreation } from './node-creation.js';
import { mirrored } from './node-reads.js';
import { type OwnWrites, type WriteEffects, type WriteOutcome } from './own-writes.js';
import { type ReadNode, toRevision } from '../subtree-copy.js';
import { type MultiOperation, type MultiResult, type ZooKeeperTransport } from '../transport.js';
import { type Call } from '../zookeeper-call.js';
import { isAnswer } from '../zookeeper-failures.js';

const ANY_VERSION = -1;

/** What a commit is carried out with. */
export interface CommitContext {
  readonly namespace: Namespace;
  readonly writes: OwnWrites;
  readonly creation: NodeCreation;
}

/**
 * Carries out all operations as one transaction, or none; returns its revision. A transaction whose answer got lost is never
 * blindly repeated: what is there afterwards may prove that it was done, or that it was not; else the outcome stays unknown.
 * @throws RegistryConflictError if one does not fit
 */
export async function commit(context: CommitContext, call: Call, operations: readonly Operation[]): Promise<number> {
  const effects = effectsOf(operations);
  let rooted = false;
  for (;;) {
    const before = context.writes.newestZxid;
    try {
      const zxid = await call.write(({ transport, sessionId }) =>
        context.writes
          .track(
            effects,
            () => transport.multi(operations.map((operation) => toMulti(context.namespace, operation))),
            (result) => outcomeOf(operations, result, sessionId),
          )
          .then((result) => result.zxid),
      );
      context.writes.saw(zxid);
      return toRevision(zxid);
    } catch (error) {
      if (isOutcomeUnknown(error)) {
        const revision = await findOut(context, call, { operations, unknown: error, before });
        if (revision !== undefined) return revision;
        continue;
      }
      const conflict = conflictOf(operations, error);
      // The server removes the namespace when it has become empty; to the caller it is always there.
      if (conflict && isTopmostCreation(operations, conflict) && !rooted) {
        rooted = true;
        await context.creation.createParents(call, conflict.path);
      } else throw conflict ?? error;
    }
  }
}

function toMulti(namespace: Namespace, operation: Operation): MultiOperation {
  const path = namespace.at(operation.path);
  switch (operation.type) {
    case 'check':
      return { type: 'check', path, version: operation.version ?? ANY_VERSION };
    case 'create': {
      const mode = operation.lifetime === 'session' ? 'ephemeral' : 'persistent';
      return { type: 'create', path, data: Buffer.from(operation.value), mode };
    }
    case 'set':
      return { type: 'setData', path, data: Buffer.from(operation.value), version: operation.version ?? ANY_VERSION };
    case 'remove':
      return { type: 'delete', path, version: operation.version ?? ANY_VERSION };
    default:
      return operation satisfies never;
  }
}

function effectsOf(operations: readonly Operation[]): WriteEffects {
  const events = new Map<string, number>();
  for (const { type, path } of operations) if (type !== 'check') events.set(path, (events.get(path) ?? 0) + 1);
  return { events };
}

function outcomeOf(operations: readonly Operation[], { zxid, stats }: MultiResult, sessionId: string): WriteOutcome {
  const revision = toRevision(zxid);
  const outcome = new Map<string, MirroredNode | undefined>();
  for (const [index, operation] of operations.entries()) {
    const stat = stats[index];
    if (operation.type === 'create') {
      const session = operation.lifetime === 'session' ? sessionId : undefined;
      outcome.set(operation.path, { value: operation.value, version: 0, revision, session });
    } else if (operation.type === 'set' && stat) outcome.set(operation.path, mirrored(operation.value, stat));
    else if (operation.type === 'remove') outcome.set(operation.path, undefined);
  }
  return outcome;
}

function conflictOf(operations: readonly Operation[], error: unknown): RegistryConflictError | undefined {
  if (!isAnswer(error, 'NO_NODE', 'NODE_EXISTS', 'BAD_VERSION', 'NOT_EMPTY')) return undefined;
  const misfit = operations[error.failedIndex ?? 0];
  if (!misfit) return undefined;
  const reason = error.errorName === 'NO_NODE' ? 'absent' : error.errorName === 'NODE_EXISTS' ? 'exists' : 'changed';
  return new RegistryConflictError(misfit.path, reason);
}

function isTopmostCreation(operations: readonly Operation[], { path, reason }: RegistryConflictError): boolean {
  const isCreated = operations.some((operation) => operation.type === 'create' && operation.path === path);
  return isCreated && reason === 'absent' && parentPath(path) === '/';
}

/** Returns the revision of a transaction that was done, `undefined` if it was not. @throws `unknown` if neither is proven */
async function findOut(
  { namespace }: CommitContext,
  call: Call,
  asked: {
    readonly operations: readonly Operation[];
    readonly unknown: RegistryOutcomeUnknownError;
    readonly before: bigint;
  },
): Promise<number | undefined> {
  const final = new Map(asked.operations.filter(({ type }) => type !== 'check').map((each) => [each.path, each]));
  const paths = [...final.keys()];
  try {
    const nodes = await call.read(({ transport }) =>
      readTogether(
        transport,
        paths.map((path) => namespace.at(path)),
      ),
    );
    const traces = [...final.values()].map((operation, index) => traceOf(operation, nodes[index], asked.before));
    const done = proofOfDone(traces, call.sessionId);
    if (done !== undefined) return toRevision(done);
    if (traces.some(({ type }) => type === 'untouched')) return undefined;
  } catch {
    // That it cannot be found out now is what the error below says.
  }
  throw asked.unknown;
}

async function readTogether(
  transport: ZooKeeperTransport,
  serverPaths: readonly string[],
): Promise<readonly (ReadNode | undefined)[]> {
  const [first] = serverPaths;
  if (first === undefined) return [];
  const [, nodes] = await Promise.all([transport.sync(first), transport.multiRead(serverPaths)]);
  return nodes;
}

/** What one operation has left behind. */
type Trace =
  /** The node is as it was before: the transaction was not done. */
  | { readonly type: 'untouched' }
  /** As the operation would have left it, written by this transaction. */
  | { readonly type: 'written'; readonly zxid: bigint; readonly session: string | undefined }
  | { readonly type: 'removed' }
  /** Others have been here, or nothing can be told. */
  | { readonly type: 'other' };

function traceOf(operation: Operation, node: ReadNode | undefined, before: bigint): Trace {
  if (!node) return operation.type === 'remove' ? { type: 'removed' } : { type: 'other' };
  const { mzxid, ephemeralOwner } = node.stat;
  if (mzxid <= before) return { type: 'untouched' };
  if (operation.type !== 'create' && operation.type !== 'set') return { type: 'other' };
  const isOurs = node.data.toString() === operation.value;
  return isOurs ? { type: 'written', zxid: mzxid, session: ephemeralOwner } : { type: 'other' };
}

/**
 * A node that lives with our session can only be ours. Several nodes that were written together, exactly as asked, are
 * taken for ours as well; one alone is not, since a peer may have written the same.
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
