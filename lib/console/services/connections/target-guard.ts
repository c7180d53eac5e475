import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { DeadlineExceededError } from '../../../api/errors/errors.js';
import { withDeadline } from '../../../async/wait.js';
import { type Clock } from '../../../time/clock.js';
import { type ConnectionTest } from '../../contract/registries.js';
import { AddressRules } from './address-rules.js';

/** The target of a connection is not allowed, or its host name cannot be resolved. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';

  constructor(
    readonly reason: Extract<ConnectionTest['reason'], 'not-allowed' | 'name-unknown'>,
    message: string,
  ) {
    super(message);
  }
}

/** Finds the addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The most milliseconds that resolving a name may take. */
const RESOLVE_MS = 5_000;

/** Lets the console connect only to targets that the settings allow, after the name was resolved. */
export class TargetGuard {
  readonly #rules: AddressRules;
  readonly #clock: Clock;
  readonly #resolve: Resolve;

  /** @throws InvalidConfigurationError if an entry of `allow` cannot be read */
  constructor(allow: readonly string[], { clock, resolve = byDns }: { clock: Clock; resolve?: Resolve }) {
    this.#rules = new AddressRules(allow);
    this.#clock = clock;
    this.#resolve = resolve;
  }

  /** True if connections may be added in the page. */
  get isOpen(): boolean {
    return this.#rules.isOpen;
  }

  /**
   * The checked address to connect to: resolving the name again may give another one.
   * @throws TargetRefusedError if the target is not allowed, or the name cannot be resolved
   */
  async check(host: string, port: number): Promise<string> {
    const addresses = isIP(host) === 0 ? await this.#find(host) : [host];
    const [first] = addresses;
    if (first === undefined) throw unknownName(host);
    if (this.#rules.allows(host, port, addresses)) return first;
    throw new TargetRefusedError(
      'not-allowed',
      `The console may not connect to ${host}:${port}: no entry of connections.allow in its settings allows it.`,
    );
  }

  async #find(host: string): Promise<readonly string[]> {
    const late = (): Error => new DeadlineExceededError(`the addresses of ${host}`, RESOLVE_MS);
    try {
      return await withDeadline(this.#clock, this.#resolve(host), RESOLVE_MS, late);
    } catch {
      // Callers must not learn what the DNS server of this machine has answered.
      throw unknownName(host);
    }
  }
}

function unknownName(host: string): TargetRefusedError {
  return new TargetRefusedError(
    'name-unknown',
    `The name ${host} has no address. Check its spelling, and the DNS of this machine.`,
  );
}

async function byDns(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
