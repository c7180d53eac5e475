/**
 * Makes registry centres from their three sources, which differ:
 *
 * ```
 *   settings      ─▶ connected by the console, at any address; the code closes a given one
 *   application   ─▶ connected already, and never closed by the console
 *   page (store)  ─▶ connected at addresses that connections.allow has; its secrets are sealed in the store
 * ```
 */
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { createRegistryCenter } from '../../../settings/create-registry-center.js';
import { type RegistryChange, type RegistryInfo } from '../../contract/registries.js';
import {
  clockOf,
  type ConsoleServiceOptions,
  type GivenRegistry,
  loggerOf,
  type RegistrySettings,
} from '../../options/console-service-options.js';
import { type LastRuns } from '../trace/last-runs.js';
import { type ApplicationJobs } from '../connections/application-registry.js';
import { ConnectionCiphers } from '../connections/connection-ciphers.js';
import { ConsoleRegistry } from './console-registry.js';
import { checkedCenter, CONSOLE_SESSION, type RegistryTarget } from '../connections/registry-connections.js';
import { changedRegistry, isSameTarget, openedRegistry, type StoredRegistry } from './stored-registries.js';
import { type StoredTls, tlsInfo } from '../connections/stored-tls.js';
import { type TargetGuard } from '../connections/target-guard.js';

/** Makes registry centres of all three sources. */
export class RegistryFactory {
  readonly #options: ConsoleServiceOptions;
  readonly #guard: TargetGuard;
  readonly #ciphers: ConnectionCiphers;
  readonly #runs: LastRuns;

  constructor(options: ConsoleServiceOptions, guard: TargetGuard, runs: LastRuns) {
    this.#options = options;
    this.#runs = runs;
    this.#guard = guard;
    this.#ciphers = new ConnectionCiphers(options.secrets, { kind: 'registries', main: 'digest' });
  }

  /** The application's own registry centre. */
  fromApplication(name: string, center: RegistryCenter, { audit }: ApplicationJobs): ConsoleRegistry {
    return new ConsoleRegistry({
      ...{ name, serverLists: serversIn(center.description), namespace: center.fullPath('/').slice(1) },
      ...{ hasDigest: false, origin: 'application', open: () => center, isOurs: false, audit },
      ...this.#common,
    });
  }

  /** A registry centre of the settings, or one that code has given. */
  fromSettings(settings: RegistrySettings | GivenRegistry): ConsoleRegistry {
    if ('registryCenter' in settings) {
      const { name, registryCenter } = settings;
      const [serverLists, namespace] = [serversIn(registryCenter.description), registryCenter.fullPath('/').slice(1)];
      const parts = { name, serverLists, namespace, hasDigest: false, open: () => registryCenter, isOurs: false };
      return new ConsoleRegistry({ ...parts, origin: 'settings', ...this.#common });
    }
    const { name, ...center } = settings;
    const { serverLists = 'in this process', namespace = '', digest = '' } = center;
    const open = () => createRegistryCenter({ ...CONSOLE_SESSION, ...center }, loggerOf(this.#options));
    const parts = { name, serverLists, namespace, hasDigest: digest !== '', open, isOurs: true };
    const security = securityOf(center);
    return new ConsoleRegistry({ ...parts, security, origin: 'settings', ...this.#common });
  }

  /** A registry centre that was added in the page. */
  fromStored(stored: StoredRegistry): ConsoleRegistry {
    const { name, serverLists, namespace } = stored;
    const open = () => this.open(this.targetOf(stored));
    const parts = { name, serverLists, namespace, hasDigest: stored.digest !== undefined, open, isOurs: true };
    return new ConsoleRegistry({ ...parts, security: securityOf(stored), origin: 'console', ...this.#common });
  }

  /** @throws TargetRefusedError if the console may not connect to one of its servers */
  open(target: RegistryTarget): Promise<RegistryCenter> {
    return checkedCenter(target, { guard: this.#guard, ...this.#common });
  }

  /** The registry centre to store after a change; secrets that the change omits are kept. */
  changed(change: RegistryChange, before?: StoredRegistry): StoredRegistry {
    return changedRegistry(change, before, this.#ciphers.seal(change.name));
  }

  /** The connection of a stored registry centre, with its secrets. */
  targetOf(stored: StoredRegistry): RegistryTarget {
    return openedRegistry(stored, this.#ciphers.open(stored.name));
  }

  /**
   * The connection that a change describes. Omitted secrets are those of the stored registry centre, if they may be
   * sent to the new target.
   */
  targetOfChange(change: RegistryChange, stored: StoredRegistry | undefined): RegistryTarget {
    const { leave } = this.#ciphers;
    const after = changedRegistry(change, stored, leave);
    if (stored === undefined || isSameTarget(stored, after)) return this.targetOf(after);
    return this.targetOf(changedRegistry(change, withoutPasswords(stored), leave));
  }

  get #common() {
    return { clock: clockOf(this.#options), logger: loggerOf(this.#options), runs: this.#runs };
  }
}

function withoutPasswords({ digest: _, sasl: __, ...others }: StoredRegistry): StoredRegistry {
  return others;
}

function securityOf({
  tls,
  sasl,
}: {
  readonly tls?: StoredTls;
  readonly sasl?: { readonly username?: string };
}): Pick<RegistryInfo, 'tls' | 'saslUsername'> {
  return { ...tlsInfo(tls), ...(sasl?.username !== undefined && { saslUsername: sasl.username }) };
}

/** The servers in `ZooKeeper at host:2181, namespace 'orders'`; any other description without its namespace. */
function serversIn(description: string): string {
  return /^ZooKeeper at (.+), namespace '/.exec(description)?.[1] ?? description.replace(/, namespace '.*$/, '');
}
