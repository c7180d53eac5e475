/**
 * Registry centres by where they come from, and what differs between these places:
 *
 * ```
 *   settings      ─▶ connected by the console, at any address; a given one is the code's to close
 *   application   ─▶ connected already, and never closed by the console
 *   page (store)  ─▶ connected at addresses that connections.allow has; the digest is sealed in the store
 * ```
 */
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { createRegistryCenter } from '../../../settings/create-registry-center.js';
import { type RegistryChange } from '../../contract/registries.js';
import {
  clockOf,
  type ConsoleServiceOptions,
  type GivenRegistry,
  loggerOf,
  type RegistrySettings,
} from '../console-service-options.js';
import { type ApplicationJobs } from './application-registry.js';
import { ConsoleRegistry } from './console-registry.js';
import { checkedCenter, PATIENCE } from './registry-connections.js';
import { type StoredRegistry } from './stored-registries.js';
import { type TargetGuard } from './target-guard.js';

/** Makes registry centres from what each place says of them. */
export class RegistryOrigins {
  readonly #options: ConsoleServiceOptions;
  readonly #guard: TargetGuard;

  constructor(options: ConsoleServiceOptions, guard: TargetGuard) {
    this.#options = options;
    this.#guard = guard;
  }

  /** The application's own. */
  fromApplication(name: string, center: RegistryCenter, { audit }: ApplicationJobs): ConsoleRegistry {
    return new ConsoleRegistry({
      ...{ name, serverLists: placeOf(center.description), namespace: center.fullPath('/').slice(1) },
      ...{ hasDigest: false, origin: 'application', open: () => center, isOurs: false, audit },
      ...this.#common,
    });
  }

  /** One that stands in the settings or was given in code. */
  fromSettings(settings: RegistrySettings | GivenRegistry): ConsoleRegistry {
    if ('registryCenter' in settings) {
      const { name, registryCenter } = settings;
      const [serverLists, namespace] = [placeOf(registryCenter.description), registryCenter.fullPath('/').slice(1)];
      const parts = { name, serverLists, namespace, hasDigest: false, open: () => registryCenter, isOurs: false };
      return new ConsoleRegistry({ ...parts, origin: 'settings', ...this.#common });
    }
    const { name, ...center } = settings;
    const { serverLists = 'in this process', namespace = '', digest = '' } = center;
    const open = () => createRegistryCenter({ ...PATIENCE, ...center }, loggerOf(this.#options));
    const parts = { name, serverLists, namespace, hasDigest: digest !== '', open, isOurs: true };
    return new ConsoleRegistry({ ...parts, origin: 'settings', ...this.#common });
  }

  /** One that was added in the page. */
  fromStored(stored: StoredRegistry): ConsoleRegistry {
    const { name, serverLists, namespace } = stored;
    const open = () => {
      const digest = this.digestOf(stored);
      return this.open({ serverLists, namespace, ...(digest && { digest }) });
    };
    const parts = { name, serverLists, namespace, hasDigest: stored.digest !== undefined, open, isOurs: true };
    return new ConsoleRegistry({ ...parts, origin: 'console', ...this.#common });
  }

  /** @throws TargetRefusedError if the console may not connect to one of its servers */
  open(place: Omit<RegistryChange, 'name'>): Promise<RegistryCenter> {
    return checkedCenter(place, { guard: this.#guard, ...this.#common });
  }

  /** The digest as the store keeps it; nothing if there is none. */
  sealed(name: string, digest: string | undefined): Pick<StoredRegistry, 'digest'> {
    if (digest === undefined || digest === '') return {};
    return { digest: this.#options.secrets.seal(`registries/${name}`, digest) };
  }

  digestOf(stored: StoredRegistry | undefined): string | undefined {
    return stored?.digest === undefined
      ? undefined
      : this.#options.secrets.open(`registries/${stored.name}`, stored.digest);
  }

  get #common() {
    return { clock: clockOf(this.#options), logger: loggerOf(this.#options) };
  }
}

/** `ZooKeeper at host:2181, namespace 'orders'` names the servers; others are described as they are. */
function placeOf(description: string): string {
  return /^ZooKeeper at (.+), namespace '/.exec(description)?.[1] ?? description.replace(/, namespace '.*$/, '');
}
