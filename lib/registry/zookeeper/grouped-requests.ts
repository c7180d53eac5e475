import { afterNextPoll } from '../../time/event-loop.js';
import {
  type MultiOperation,
  type MultiResult,
  ZooKeeperError,
  type ZooKeeperRequests,
  type ZooKeeperTransport,
} from './transport.js';

/** Transactions with more operations than this in all are not sent together. */
const MOST_OPERATIONS = 256;

/** Transactions with more characters and bytes than this in all are not sent together. */
const MOST_BYTES = 128 * 1024;

/** A transaction that waits for the end of the turn. */
interface WaitingTransaction {
  readonly operations: readonly MultiOperation[];
  readonly resolve: (result: MultiResult) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The requests of one transport, with fewer messages: the transactions that are asked for in one turn of the event loop are sent as
 * one. Many jobs that fire at the same second cost the server and this process a message for some dozen of them instead of one each.
 *
 * To those who ask, each is a transaction of its own. If an operation does not fit, its transaction is refused; the others have had no
 * effect, and are sent again, each for itself, so that many misfits take no longer than one. All requests are carried out in the order
 * in which they were asked for, but a transaction that is sent again comes later.
 */
export class GroupedRequests implements ZooKeeperRequests {
  readonly isOpen?: (path: string) => Promise<boolean>;
  readonly #transport: ZooKeeperTransport;
  #waiting: WaitingTransaction[] = [];
  #waitingOperations = 0;
  #waitingBytes = 0;
  #isScheduled = false;

  constructor(transport: ZooKeeperTransport) {
    this.#transport = transport;
    const isOpen = transport.isOpen?.bind(transport);
    if (isOpen === undefined) return;
    this.isOpen = (path) => {
      this.#sendWaiting();
      return isOpen(path);
    };
  }

  multi(operations: readonly MultiOperation[]): Promise<MultiResult> {
    const bytes = bytesOf(operations);
    const isTooMuch =
      this.#waitingOperations + operations.length > MOST_OPERATIONS || this.#waitingBytes + bytes > MOST_BYTES;
    if (isTooMuch) this.#sendWaiting();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, resolve, reject });
      this.#waitingOperations += operations.length;
      this.#waitingBytes += bytes;
      this.#schedule();
    });
  }

  create(...request: Parameters<ZooKeeperRequests['create']>): ReturnType<ZooKeeperRequests['create']> {
    return this.#inOrder.create(...request);
  }

  delete(...request: Parameters<ZooKeeperRequests['delete']>): ReturnType<ZooKeeperRequests['delete']> {
    return this.#inOrder.delete(...request);
  }

  exists(path: string): ReturnType<ZooKeeperRequests['exists']> {
    return this.#inOrder.exists(path);
  }

  getData(path: string): ReturnType<ZooKeeperRequests['getData']> {
    return this.#inOrder.getData(path);
  }

  setData(...request: Parameters<ZooKeeperRequests['setData']>): ReturnType<ZooKeeperRequests['setData']> {
    return this.#inOrder.setData(...request);
  }

  getChildren(path: string): ReturnType<ZooKeeperRequests['getChildren']> {
    return this.#inOrder.getChildren(path);
  }

  sync(path: string): ReturnType<ZooKeeperRequests['sync']> {
    return this.#inOrder.sync(path);
  }

  multiRead(paths: readonly string[]): ReturnType<ZooKeeperRequests['multiRead']> {
    return this.#inOrder.multiRead(paths);
  }

  multiList(paths: readonly string[]): ReturnType<ZooKeeperRequests['multiList']> {
    return this.#inOrder.multiList(paths);
  }

  addWatch(path: string): ReturnType<ZooKeeperRequests['addWatch']> {
    return this.#inOrder.addWatch(path);
  }

  removeWatch(path: string): ReturnType<ZooKeeperRequests['removeWatch']> {
    return this.#inOrder.removeWatch(path);
  }

  /** The transport, for a request that must not come before the transactions that were asked for earlier. */
  get #inOrder(): ZooKeeperTransport {
    this.#sendWaiting();
    return this.#transport;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    afterNextPoll(() => {
      this.#isScheduled = false;
      this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#waitingOperations = this.#waitingBytes = 0;
    const [first] = group;
    const operations = group.length === 1 && first ? first.operations : group.flatMap((each) => each.operations);
    this.#transport.multi(operations).then(
      (result) => answer(group, result),
      (error: unknown) => this.#refuse(group, error),
    );
  }

  #refuse(group: readonly WaitingTransaction[], error: unknown): void {
    const misfit = error instanceof ZooKeeperError && !error.outcomeUnknown ? error.failedIndex : undefined;
    if (misfit === undefined || group.length === 1) {
      for (const { reject } of group) reject(error);
      return;
    }
    let from = 0;
    for (const { operations, resolve, reject } of group) {
      const index = misfit - from;
      from += operations.length;
      if (index >= 0 && index < operations.length) reject(at(index, error as ZooKeeperError));
      else this.#transport.multi(operations).then(resolve, reject);
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

/** The error of a group, as that of the transaction in which `failedIndex` is the index of the operation that does not fit. */
function at(failedIndex: number, { errorName, errorCode, message, outcomeUnknown }: ZooKeeperError): ZooKeeperError {
  return new ZooKeeperError(errorName, errorCode, message, outcomeUnknown, failedIndex);
}

function bytesOf(operations: readonly MultiOperation[]): number {
  let bytes = 0;
  for (const operation of operations)
    bytes += operation.path.length + ('data' in operation ? operation.data.length : 0);
  return bytes;
}
