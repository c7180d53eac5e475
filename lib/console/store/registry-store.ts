/**
 * The console's documents in a registry centre, which several replicas of the console share:
 *
 * ```
 *   <namespace>              of the console alone: Java takes each node directly in a namespace of jobs for a job
 *   └ state
 *     ├ users                { "version": 1, "value": … }
 *     ├ sessions
 *     └ …
 *
 *   replica A ── set, with the version that A has read ──▶ registry centre ──▶ mirror of B ──▶ StoreDocument of B
 * ```
 * The registry centre is authoritative, and a replica shows what its mirror shows. If two replicas write the same
 * document at once, one loses the race, and repeats its change on the other's document. If the registry centre does not
 * answer, replicas go on with the documents that they saw last, and refuse changes.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { isMap } from '../../api/text/describe-value.js';
import { DeadlineExceededError, InvalidConfigurationError, RegistryConflictError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { Listeners } from '../../async/listeners.js';
import { withDeadline } from '../../async/wait.js';
import { commitBytes } from '../../registry/commit-limits.js';
import { type Mirror, type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { whenConnected } from '../../registry/session-state.js';
import { type Clock } from '../../time/clock.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { ConsoleStore } from './console-store.js';

const ROOT = '/state';
const VERSION = 1;
/** The most milliseconds that the start waits for the registry centre, and for its first answers. */
const START_MS = 15_000;
/** The most milliseconds that a change may take. */
const WRITE_MS = 10_000;

/** The parts of a store in a registry centre. */
export interface RegistryStoreParts {
  readonly center: RegistryCenter;
  /** True if the registry centre is closed with the store. */
  readonly isOurs: boolean;
  readonly clock: Clock;
  readonly logger: Pick<JobLogger, 'error'>;
}

/** A document that a replica has seen. */
export interface SeenDocument {
  /** The stored text. */
  readonly text: string;
  /** The version of the node, which each write increases. */
  readonly version: number;
}

/** Keeps the console's documents in a registry centre. */
export class RegistryConsoleStore extends ConsoleStore {
  override readonly description: string;
  override readonly isPersistent = true;
  readonly #parts: RegistryStoreParts;
  readonly #mirror: Mirror;
  readonly #listeners: Listeners;

  private constructor(parts: RegistryStoreParts, mirror: Mirror) {
    super();
    this.description = parts.center.description;
    this.#parts = parts;
    this.#mirror = mirror;
    this.#listeners = new Listeners({
      onError: (error) =>
        parts.logger.error(`The console could not follow a change of its shared state: ${describeCause(error)}`),
    });
    mirror.onChange(() => this.#listeners.notify());
  }

  /**
   * Connects, and reads all documents.
   * @throws InvalidConfigurationError if the registry centre does not answer before the deadline or refuses the
   *   credentials, or the namespace has jobs
   */
  static async open(parts: RegistryStoreParts): Promise<RegistryConsoleStore> {
    const { center, clock } = parts;
    try {
      await connected(parts);
      const late = (): Error => new DeadlineExceededError(`the console's state in ${center.description}`, START_MS);
      await withDeadline(clock, refuseOtherNodes(center), START_MS, late);
      return new RegistryConsoleStore(parts, await withDeadline(clock, center.mirror(ROOT), START_MS, late));
    } catch (cause) {
      if (parts.isOurs) await center.close();
      if (cause instanceof InvalidConfigurationError) throw cause;
      const fault = `console.stateRegistry: the console's state in ${center.description} cannot be read: ${describeCause(cause)}`;
      throw new InvalidConfigurationError([fault], { cause });
    }
  }

  /** @throws InvalidConfigurationError if the document is of a later version, or damaged */
  override read(name: string): Promise<unknown> {
    const seen = this.seen(name);
    return Promise.resolve().then(() => (seen === undefined ? undefined : this.decoded(name, seen)));
  }

  /** Overwrites the present document; `StoreDocument` uses `replace` instead. */
  override async write(name: string, value: unknown): Promise<void> {
    while (!(await this.replace(name, value, this.seen(name))));
  }

  /** The document that was seen last, without waiting; `undefined` if there is none. */
  seen(name: string): SeenDocument | undefined {
    const { value, version = 0 } = this.#mirror.nodes.get(`${ROOT}/${name}`) ?? {};
    return value === undefined || value === '' ? undefined : { text: value, version };
  }

  /** The value of a document. @throws InvalidConfigurationError if it is of a later version, or damaged */
  decoded(name: string, { text }: SeenDocument): unknown {
    const content = parsed(text);
    if (isMap(content) && content['version'] === VERSION && 'value' in content) return content['value'];
    const version = isMap(content) ? content['version'] : undefined;
    const problem =
      typeof version === 'number' && version !== VERSION
        ? `is of version ${version}, and this console reads version ${VERSION}`
        : 'is damaged';
    const node = this.#parts.center.fullPath(`${ROOT}/${name}`);
    throw new InvalidConfigurationError([
      `Node '${node}' ${problem}. Nothing is overwritten: correct it, or remove it to begin without it.`,
    ]);
  }

  /**
   * Writes a document if it is still the one that was seen. Afterwards the mirror shows the present document.
   * @param before the document that was seen; `undefined` if there was none
   * @returns false if another replica has written it meanwhile
   * @throws ConsoleProblem 503 if the registry centre does not answer, 409 `state-too-large`
   */
  async replace(name: string, value: unknown, before: SeenDocument | undefined): Promise<boolean> {
    const path = `${ROOT}/${name}`;
    const text = JSON.stringify({ version: VERSION, value });
    const operation: Operation =
      before === undefined
        ? { type: 'create', path, value: text }
        : { type: 'set', path, value: text, version: before.version };
    this.#requireFit(name, operation);
    this.#requireConnected();
    const isWritten = await this.#answered(name, this.#commit(operation));
    // If the answer is lost, the mirror shows the document later by itself.
    await this.#answered(name, this.#mirror.sync()).catch((error: unknown) => {
      if (!isWritten) throw error;
    });
    return isWritten;
  }

  /** Calls `listener` when documents may have changed. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Closes the connection in the last hook, as requests that still run may need it. */
  async onApplicationShutdown(): Promise<void> {
    this.#listeners.clear();
    this.#mirror.close();
    if (this.#parts.isOurs) await this.#parts.center.close();
  }

  async #commit(operation: Operation): Promise<boolean> {
    const { center } = this.#parts;
    // The parent of the documents, an empty node, is created with the first one.
    if (operation.type === 'create') await center.create(ROOT, '');
    try {
      await center.commit([operation]);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  async #answered<T>(name: string, answer: Promise<T>): Promise<T> {
    const late = (): Error => new DeadlineExceededError(`a change of the console's ${name}`, WRITE_MS);
    try {
      return await withDeadline(this.#parts.clock, answer, WRITE_MS, late);
    } catch (error) {
      throw isCode(error, 'REGISTRY_UNAVAILABLE', 'SESSION_LOST')
        ? this.#unavailable(error)
        : isCode(error, 'REGISTRY_OUTCOME_UNKNOWN', 'DEADLINE_EXCEEDED')
          ? this.#unknown(error)
          : error;
    }
  }

  #requireConnected(): void {
    if (this.#parts.center.session.state.phase !== 'connected') throw this.#unavailable();
  }

  #requireFit(name: string, operation: Operation): void {
    const { limits } = this.#parts.center;
    const bytes = commitBytes([operation], limits);
    if (bytes <= limits.bytes) return;
    throw new ConsoleProblem(
      409,
      'state-too-large',
      `The console's ${name} would take ${bytes} bytes, and the registry centre takes at most ${limits.bytes} in one node. Remove what is no longer needed.`,
    );
  }

  #unavailable(cause?: unknown): ConsoleProblem {
    const { reason } = this.#parts.center.session;
    const why = reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`;
    const detail = `The console cannot change its state now, as the registry centre that holds it does not answer${why}. Nothing was changed. Reading goes on.`;
    return new ConsoleProblem(503, 'state-unavailable', detail, { cause, headers: RETRY });
  }

  #unknown(cause: unknown): ConsoleProblem {
    const detail =
      'The registry centre that holds the console’s state stopped answering in the middle of the change: it may have been made or not. Look again when it answers.';
    return new ConsoleProblem(503, 'state-outcome-unknown', detail, { cause, headers: RETRY });
  }
}

const RETRY = { 'retry-after': '5' };

async function connected({ center, clock }: RegistryStoreParts): Promise<void> {
  const { session } = center;
  const waiting = new AbortController();
  const late = (): Error => new Error(session.reason ?? `it did not answer within ${START_MS / 1_000} seconds`);
  const cancel = clock.after(START_MS, () => waiting.abort(late()));
  const unsubscribe = session.onChange((state) => {
    if (state.phase === 'closed') waiting.abort(state.refusal ?? new Error(state.reason));
  });
  try {
    center.connect();
    await whenConnected(session, waiting.signal);
  } finally {
    cancel();
    unsubscribe();
  }
}

/**
 * Refuses a namespace of jobs: Java would take the console's node for a job, and a user who may change jobs could
 * create administrators.
 */
async function refuseOtherNodes(center: RegistryCenter): Promise<void> {
  const others = (await center.children('/')).filter((name) => `/${name}` !== ROOT);
  if (others.length === 0) return;
  const namespace = center.fullPath('/').slice(1);
  const some = others.sort().slice(0, 3).join("', '");
  throw new InvalidConfigurationError([
    `console.stateRegistry.namespace: must be a namespace in which nothing else is, such as '${namespace}-console'; in '${namespace}' there is '${some}'`,
  ]);
}

function isConflict(error: unknown): boolean {
  return error instanceof RegistryConflictError || isCode(error, 'REGISTRY_CONFLICT');
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as { readonly code?: unknown } | null)?.code));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
