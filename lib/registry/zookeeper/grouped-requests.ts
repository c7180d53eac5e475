import { afterNextPoll } from '../../time/event-loop.js';
import {
  type MultiOperation,
  type MultiResult,
  type SessionRequests,
  ZooKeeperError,
  type ZooKeeperTransport,
} from './transport.js';

/** Transactions with more operations than this together are sent in separate requests. */
const MOST_OPERATIONS = 256;

/**
 * Transactions whose paths and values are longer than this together (paths in characters) are sent in separate
 * requests.
 */
const MOST_LENGTH = 128 * 1024;

/** A transaction that waits for the end of the turn. */
interface WaitingTransaction {
  readonly operations: readonly MultiOperation[];
  readonly isAwaited: () => boolean;
  readonly resolve: (result: MultiResult) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The requests of one transport, with fewer messages: transactions of different jobs that are requested in one turn of
 * the event loop are sent as one. Many jobs that fire at the same second cost the server and this process a message for
 * some dozen of them instead of one each.
 *
 * For its caller, each is a transaction of its own. If an operation does not fit, its transaction is refused; the
 * others have had no effect, and are sent again, each in a request of its own, so that a second misfit costs no further
 * round. If the caller has given up, its transaction is not sent again: the caller may have read meanwhile that it was
 * not carried out.
 *
 * All requests are carried out in the order in which they were made, but a transaction that is sent again comes later.
 * No two transactions of one job are sent together, so that each change of a job has a revision of its own.
 */
export class GroupedRequests implements SessionRequests {
  readonly isOpen?: (path: string) => Promise<boolean>;
  readonly #transport: ZooKeeperTransport;
  readonly #subtreeOf: (path: string) => string;
  #waiting: WaitingTransaction[] = [];
  readonly #waitingSubtrees = new Set<string>();
  #waitingOperations = 0;
  #waitingLength = 0;
  #isScheduled = false;

  /** @param subtreeOf the subtree of a path that has revisions of its own: the job's */
  constructor(transport: ZooKeeperTransport, subtreeOf: (path: string) => string) {
    this.#transport = transport;
    this.#subtreeOf = subtreeOf;
    const isOpen = transport.isOpen?.bind(transport);
    if (isOpen === undefined) return;
    this.isOpen = (path) => this.#inOrder(() => isOpen(path));
  }

  async multiTogether(operations: readonly MultiOperation[], isAwaited: () => boolean): Promise<MultiResult> {
    const subtree = this.#onlySubtree(operations);
    if (subtree === undefined) return this.multi(operations);
    const length = lengthOf(operations);
    const isTooMuch =
      this.#waitingOperations + operations.length > MOST_OPERATIONS || this.#waitingLength + length > MOST_LENGTH;
    if (isTooMuch || this.#waitingSubtrees.has(subtree)) this.sendWaiting();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, isAwaited, resolve, reject });
      this.#waitingSubtrees.add(subtree);
      this.#waitingOperations += operations.length;
      this.#waitingLength += length;
      this.#schedule();
    });
  }

  multi(operations: readonly MultiOperation[]): Promise<MultiResult> {
    return this.#inOrder(() => this.#transport.multi(operations));
  }

  create(...request: Parameters<SessionRequests['create']>): ReturnType<SessionRequests['create']> {
    return this.#inOrder(() => this.#transport.create(...request));
  }

  delete(...request: Parameters<SessionRequests['delete']>): ReturnType<SessionRequests['delete']> {
    return this.#inOrder(() => this.#transport.delete(...request));
  }

  exists(path: string): ReturnType<SessionRequests['exists']> {
    return this.#inOrder(() => this.#transport.exists(path));
  }

  getData(path: string): ReturnType<SessionRequests['getData']> {
    return this.#inOrder(() => this.#transport.getData(path));
  }

  setData(...request: Parameters<SessionRequests['setData']>): ReturnType<SessionRequests['setData']> {
    return this.#inOrder(() => this.#transport.setData(...request));
  }

  getChildren(path: string): ReturnType<SessionRequests['getChildren']> {
    return this.#inOrder(() => this.#transport.getChildren(path));
  }

  sync(path: string): ReturnType<SessionRequests['sync']> {
    return this.#inOrder(() => this.#transport.sync(path));
  }

  multiRead(paths: readonly string[]): ReturnType<SessionRequests['multiRead']> {
    return this.#inOrder(() => this.#transport.multiRead(paths));
  }

  multiList(paths: readonly string[]): ReturnType<SessionRequests['multiList']> {
    return this.#inOrder(() => this.#transport.multiList(paths));
  }

  addWatch(path: string): ReturnType<SessionRequests['addWatch']> {
    return this.#inOrder(() => this.#transport.addWatch(path));
  }

  removeWatch(path: string): ReturnType<SessionRequests['removeWatch']> {
    return this.#inOrder(() => this.#transport.removeWatch(path));
  }

  /** Sends the transactions that wait for the end of the turn now. */
  sendWaiting(): void {
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#waitingSubtrees.clear();
    this.#waitingOperations = this.#waitingLength = 0;
    const [first] = group;
    const operations = group.length === 1 && first ? first.operations : group.flatMap((each) => each.operations);
    this.#transport.multi(operations).then(
      (result) => answer(group, result),
      (error: unknown) => this.#refuse(group, error),
    );
  }

  /** Sends a request that must not come before the transactions that were requested earlier. */
  #inOrder<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    this.sendWaiting();
    return send();
  }

  /** The subtree in which all operations are; `undefined` if they are in several. */
  #onlySubtree(operations: readonly MultiOperation[]): string | undefined {
    const [first] = operations;
    if (first === undefined) return undefined;
    const subtree = this.#subtreeOf(first.path);
    const isWithin = ({ path }: MultiOperation): boolean => path === subtree || path.startsWith(`${subtree}/`);
    return operations.every(isWithin) ? subtree : undefined;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    afterNextPoll(() => {
      this.#isScheduled = false;
      this.sendWaiting();
    });
  }

  #refuse(group: readonly WaitingTransaction[], error: unknown): void {
    const misfit = error instanceof ZooKeeperError && !error.outcomeUnknown ? error.failedIndex : undefined;
    if (misfit === undefined || group.length === 1) {
      for (const { reject } of group) reject(error);
      return;
    }
    let from = 0;
    for (const { operations, isAwaited, resolve, reject } of group) {
      const index = misfit - from;
      from += operations.length;
      if (index >= 0 && index < operations.length) reject(errorAt(index, error as ZooKeeperError));
      else if (isAwaited()) this.#transport.multi(operations).then(resolve, reject);
      else reject(notSentAgain(error as ZooKeeperError));
    }
  }
}

function answer(group: readonly WaitingTransaction[], { zxid, stats }: MultiResult): void {
  let from = 0;
  for (const { operations, resolve } of group) {
    const to = from + operations.length;
    resolve({ zxid, stats: stats.slice(from, to) });
    from = to;
  }
}

/**
 * The error of a group, as that of the transaction in which `failedIndex` is the index of the operation that does not
 * fit.
 */
function errorAt(
  failedIndex: number,
  { errorName, errorCode, message, outcomeUnknown }: ZooKeeperError,
): ZooKeeperError {
  return new ZooKeeperError(errorName, errorCode, message, outcomeUnknown, failedIndex);
}

function notSentAgain({ message }: ZooKeeperError): ZooKeeperError {
  const text = `Not carried out, because a transaction that was sent with it did not fit (${message.replace(/\.$/, '')}).`;
  return new ZooKeeperError('OPERATION_TIMEOUT', OPERATION_TIMEOUT, text);
}

/** ZooKeeper's number of the error OPERATION_TIMEOUT. */
const OPERATION_TIMEOUT = -7;

function lengthOf(operations: readonly MultiOperation[]): number {
  let length = 0;
  for (const operation of operations)
    length += operation.path.length + ('data' in operation ? operation.data.length : 0);
  return length;
}
