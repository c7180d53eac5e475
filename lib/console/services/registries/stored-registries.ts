import { isMap } from '../../../api/text/describe-value.js';
import { type ConsoleStore } from '../../store/console-store.js';
import { StoreDocument } from '../../store/store-document.js';
import { type RegistryChange } from '../../contract/registries.js';
import { type RegistryTarget } from '../connections/registry-connections.js';
import { changedTls, type Cipher, isWeaker, openedTls, type StoredTls } from '../connections/stored-tls.js';

/** A registry centre that was added in the page, in the form of the store. */
export interface StoredRegistry {
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  /** The digest, sealed. */
  readonly digest?: string;
  readonly tls?: StoredTls;
  /** The password is sealed. */
  readonly sasl?: { readonly username: string; readonly password: string };
  /** True if the console connects it at its start. */
  readonly isConnected: boolean;
}

const DOCUMENT = 'registries';

/** Opens the document of the registry centres that were added in the page. */
export function openStoredRegistries(store: ConsoleStore): Promise<StoreDocument<readonly StoredRegistry[]>> {
  return StoreDocument.open<readonly StoredRegistry[]>(store, DOCUMENT, { initial: [], parse });
}

function parse(stored: unknown): readonly StoredRegistry[] {
  if (!Array.isArray(stored) || !stored.every(isRegistry))
    throw new Error(
      `The document '${DOCUMENT}' must be a list of registry centres with name, serverLists and namespace.`,
    );
  return stored;
}

function isRegistry(value: unknown): value is StoredRegistry {
  return isMap(value) && ['name', 'serverLists', 'namespace'].every((key) => typeof value[key] === 'string');
}

/** The registry centre to store after a change; secrets that the change omits are kept. */
export function changedRegistry(
  { name, serverLists, namespace, ...change }: RegistryChange,
  before: StoredRegistry | undefined,
  seal: Cipher,
): StoredRegistry {
  const digest = change.digest === undefined ? before?.digest : change.digest && seal('digest', change.digest);
  const tls = changedTls(change.tls, before?.tls, seal);
  const sasl = changedSasl(change.sasl, before?.sasl, seal);
  return {
    ...{ name, serverLists, namespace, isConnected: before?.isConnected ?? true },
    ...(digest && { digest }),
    ...(tls !== undefined && { tls }),
    ...(sasl !== undefined && { sasl }),
  };
}

function changedSasl(
  change: RegistryChange['sasl'],
  before: StoredRegistry['sasl'],
  seal: Cipher,
): StoredRegistry['sasl'] {
  if (change === undefined) return before;
  if (change === null) return undefined;
  const { username, password } = change;
  const kept = password === undefined ? before?.password : undefined;
  return { username, password: kept ?? seal('sasl', password ?? '') };
}

/** The connection of a stored registry centre, with its secrets. */
export function openedRegistry(
  { serverLists, namespace, digest, tls, sasl }: StoredRegistry,
  open: Cipher,
): RegistryTarget {
  return {
    ...{ serverLists, namespace, tls: openedTls(tls, open) },
    digest: digest === undefined ? undefined : open('digest', digest),
    sasl: sasl && { username: sasl.username, password: open('sasl', sasl.password) },
  };
}

/** True if a secret of the one may be sent to the other. */
export function isSameTarget(before: StoredRegistry, after: StoredRegistry): boolean {
  const isSameNamespace = before.serverLists === after.serverLists && before.namespace === after.namespace;
  return isSameNamespace && !isWeaker(before.tls, after.tls);
}
