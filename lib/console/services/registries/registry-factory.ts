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
import { checkedCenter, consoleSession, type RegistryTarget } from '../connections/checked-centers.js';
import { DEFAULT_SCHEMA, placeOfDescription, placeOfSettings } from '../connections/registry-address.js';
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
      ...{ name, ...placeOfDescription(center.description), namespace: namespaceOf(center) },
      ...{ hasDigest: false, origin: 'application', open: () => center, isOurs: false, audit },
      ...this.#common,
    });
  }

  /** A registry centre of the settings, or one that code has given. */
  fromSettings(settings: RegistrySettings | GivenRegistry): ConsoleRegistry {
    if ('registryCenter' in settings) {
      const { name, registryCenter } = settings;
      const place = placeOfDescription(registryCenter.description);
      const parts = {
        name,
        ...place,
        namespace: namespaceOf(registryCenter),
        hasDigest: false,
        open: () => registryCenter,
        isOurs: false,
      };
      return new ConsoleRegistry({ ...parts, origin: 'settings', ...this.#common });
    }
    const { name, ...center } = settings;
    const { namespace = '', digest = '', notify } = center;
    const place = { ...placeOfSettings(center), ...(notify === false && { notify }) };
    const session = consoleSession(place.type);
    const open = () => createRegistryCenter({ ...session, ...center }, loggerOf(this.#options));
    const parts = { name, ...place, namespace, hasDigest: digest !== '', open, isOurs: true };
    const security = securityOf(center);
    return new ConsoleRegistry({ ...parts, security, origin: 'settings', ...this.#common });
  }

  /** A registry centre that was added in the page. */
  fromStored(stored: StoredRegistry): ConsoleRegistry {
    const { name, type = 'ZOOKEEPER', serverLists, namespace, notify, credentials } = stored;
    const open = () => this.open(this.targetOf(stored));
    const place: ReturnType<typeof placeOfSettings> & Pick<RegistryInfo, 'namespace' | 'notify'> = {
      ...{ type, serverLists, namespace },
      ...(type === 'POSTGRESQL' && { schema: stored.schema ?? DEFAULT_SCHEMA }),
      ...(notify !== undefined && { notify }),
      ...(credentials !== undefined && { username: credentials.username }),
    };
    const parts = { name, ...place, hasDigest: stored.digest !== undefined, open, isOurs: true };
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

function withoutPasswords({ digest: _, sasl: __, credentials: ___, ...others }: StoredRegistry): StoredRegistry {
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

/** The namespace of a registry centre, without what ends it in the keys of etcd. */
function namespaceOf(center: RegistryCenter): string {
  return center.fullPath('/').slice(1).replace(/:n$/, '');
}
