import { type Caller } from '../../security/callers/caller.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';
import { type Registries } from '../registries/registries.js';

/** The most choices that are remembered. */
const MOST = 10_000;

/** The registry centre of requests to the older APIs, whose paths do not name one. Each caller has its own choice. */
export class RegistryChoice {
  readonly #registries: Registries;
  readonly #chosen = new Map<string, string>();

  constructor(registries: Registries) {
    this.#registries = registries;
  }

  /**
   * The named registry centre, else the one that the caller has chosen, else the only one.
   * @throws ConsoleProblem 400 if it must be named, 404 if there is none
   */
  of(caller: Caller, named: string | undefined): ConsoleRegistry {
    return this.#registries.only(named ?? this.chosen(caller));
  }

  /** The name of the registry centre that the caller has chosen, if it still exists. */
  chosen(caller: Caller): string | undefined {
    return this.#chosen.get(keyOf(caller));
  }

  /** @throws ConsoleProblem 404 if there is none of that name */
  choose(caller: Caller, name: string): ConsoleRegistry {
    const registry = this.#registries.find(name);
    const [oldest] = this.#chosen.keys();
    if (this.#chosen.size >= MOST && oldest !== undefined) this.#chosen.delete(oldest);
    this.#chosen.set(keyOf(caller), name);
    return registry;
  }

  /** Forgets a registry centre that has been removed. */
  forget(name: string): void {
    for (const [key, chosen] of this.#chosen) if (chosen === name) this.#chosen.delete(key);
  }
}

/** Scripts with a token or a password have no session: the choice of one holds for all scripts of that user. */
function keyOf({ sessionId, username, provider }: Caller): string {
  return sessionId === undefined ? `user ${provider} ${username}` : `session ${sessionId}`;
}
