import { isMap } from '../../../api/text/describe-value.js';
import { type ConsoleStore } from '../../store/console-store.js';
import { StoreDocument } from '../../store/store-document.js';
import { type CredentialsChange, type RegistryChange, type RegistryType } from '../../contract/registries.js';
import { typeOfChange } from '../connections/registry-address.js';
import { type RegistryTarget } from '../connections/checked-centers.js';
import { changedTls, type Cipher, isWeaker, openedTls, type StoredTls } from '../connections/stored-tls.js';

/** A registry centre that was added in the page, in the form of the store. */
export interface StoredRegistry {
  readonly name: string;
  /** Absent: ZooKeeper, as in documents of former releases. */
  readonly type?: Exclude<RegistryType, 'ZOOKEEPER'>;
  readonly serverLists: string;
  readonly namespace: string;
  readonly schema?: string;
  /** Absent: true. */
  readonly notify?: false;
  /** Of PostgreSQL or etcd. The password is sealed. */
  readonly credentials?: StoredCredentials;
  /** The digest, sealed. */
  readonly digest?: string;
  readonly tls?: StoredTls;
  /** The password is sealed. */
  readonly sasl?: StoredCredentials;
  /** True if the console connects it at its start. */
  readonly isConnected: boolean;
}

/** A user with its sealed password; an empty one is not sealed. */
interface StoredCredentials {
  readonly username: string;
  readonly password: string;
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
  const type = typeOfChange({ ...change, serverLists });
  const tls = changedTls(change.tls, before?.tls, seal);
  const common: StoredRegistry = {
    ...{ name, serverLists, namespace, ...(type !== 'ZOOKEEPER' && { type }) },
    ...{ isConnected: before?.isConnected ?? true, ...(tls !== undefined && { tls }) },
  };
  if (type === 'ZOOKEEPER') return { ...common, ...changedZookeeperSecrets(change, before, seal) };
  const credentials = changedCredentials(change.credentials, before?.credentials, (text) => seal('credentials', text));
  const { schema = before?.schema, notify = before?.notify } = change;
  return {
    ...common,
    ...(type === 'POSTGRESQL' && schema && { schema }),
    ...(type === 'POSTGRESQL' && notify === false && { notify }),
    ...(credentials !== undefined && { credentials }),
  };
}

function changedZookeeperSecrets(
  change: Pick<RegistryChange, 'digest' | 'sasl'>,
  before: StoredRegistry | undefined,
  seal: Cipher,
): Pick<StoredRegistry, 'digest' | 'sasl'> {
  const digest = change.digest === undefined ? before?.digest : change.digest && seal('digest', change.digest);
  const sasl = changedCredentials(change.sasl, before?.sasl, (text) => seal('sasl', text));
  return { ...(digest && { digest }), ...(sasl !== undefined && { sasl }) };
}

function changedCredentials(
  change: CredentialsChange | null | undefined,
  before: StoredCredentials | undefined,
  seal: (text: string) => string,
): StoredCredentials | undefined {
  if (change === undefined) return before;
  if (change === null) return undefined;
  const { username, password } = change;
  if (password === undefined) return { username, password: before?.password ?? '' };
  return { username, password: password === '' ? '' : seal(password) };
}

/** The connection of a stored registry centre, with its secrets. */
export function openedRegistry(
  { serverLists, namespace, schema, notify, digest, tls, sasl, credentials, ...stored }: StoredRegistry,
  open: Cipher,
): RegistryTarget {
  const { type = 'ZOOKEEPER' }: { readonly type?: RegistryType } = stored;
  const opened = (what: string, sealed: string): string => (sealed === '' ? '' : open(what, sealed));
  return {
    ...{ type, serverLists, namespace, schema, notify, tls: openedTls(tls, open) },
    credentials: credentials && {
      username: credentials.username,
      password: opened('credentials', credentials.password),
    },
    digest: digest === undefined ? undefined : open('digest', digest),
    sasl: sasl && { username: sasl.username, password: opened('sasl', sasl.password) },
  };
}

/** True if a secret of the one may be sent to the other. */
export function isSameTarget(before: StoredRegistry, after: StoredRegistry): boolean {
  const isSameNamespace = before.serverLists === after.serverLists && before.namespace === after.namespace;
  return before.type === after.type && isSameNamespace && !isWeaker(before.tls, after.tls);
}
