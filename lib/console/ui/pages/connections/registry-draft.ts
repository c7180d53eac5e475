import {
  type CredentialsChange,
  type RegistryChange,
  type RegistryInfo,
  type RegistryType,
} from '../../../contract/registries.js';

/** A registry centre in a form. Stored secrets are not shown, and are kept if their fields stay empty. */
export interface RegistryDraft {
  readonly isNew: boolean;
  name: string;
  /** Empty: that of the address. */
  type: RegistryType | '';
  serverLists: string;
  namespace: string;
  schema: string;
  notify: boolean;
  username: string;
  password: string;
  digest: string;
  saslUsername: string;
  saslPassword: string;
}

/** The kinds, with the names that people know. */
export const KINDS: Readonly<Record<RegistryType, string>> = {
  ZOOKEEPER: 'ZooKeeper',
  POSTGRESQL: 'PostgreSQL',
  ETCD: 'etcd',
};

/** The initial draft of the form. */
export function registryDraft(registry?: RegistryInfo): RegistryDraft {
  const { type, serverLists = '' } = registry ?? {};
  return {
    isNew: registry === undefined,
    name: registry?.name ?? '',
    type: type === undefined || type === typeOfAddress(serverLists) ? '' : type,
    ...{ serverLists, namespace: registry?.namespace ?? '' },
    ...{ schema: registry?.schema ?? '', notify: registry?.notify ?? true },
    ...{ username: registry?.username ?? '', password: '' },
    ...{ digest: '', saslUsername: registry?.saslUsername ?? '', saslPassword: '' },
  };
}

/** The kind of the draft: the chosen one, else that of its address, as the server infers it. */
export function typeOfDraft({ type, serverLists }: RegistryDraft): RegistryType {
  return type === '' ? typeOfAddress(serverLists) : type;
}

/** The change to send, without TLS. */
export function registryChange(draft: RegistryDraft): RegistryChange {
  const { name, type, serverLists, namespace, schema, notify, digest } = draft;
  const common = { name, serverLists, namespace, ...(type !== '' && { type }) };
  const kind = typeOfDraft(draft);
  if (kind === 'ZOOKEEPER')
    return { ...common, ...(digest !== '' && { digest }), sasl: user(draft.saslUsername, draft.saslPassword) };
  // A new user may have no password, as where the server trusts its network.
  const isKept = !draft.isNew && draft.password === '';
  const credentials = user(draft.username, draft.password, isKept ? 'kept' : 'given');
  if (kind === 'ETCD') return { ...common, credentials };
  return { ...common, ...(schema !== '' && { schema }), notify, credentials };
}

function user(
  username: string,
  password: string,
  kind: 'kept' | 'given' = password === '' ? 'kept' : 'given',
): CredentialsChange | null {
  if (username === '') return null;
  return { username, ...(kind === 'given' && { password }) };
}

function typeOfAddress(address: string): RegistryType {
  if (/^\s*postgres(ql)?:/i.test(address)) return 'POSTGRESQL';
  return /^\s*https?:/i.test(address) ? 'ETCD' : 'ZOOKEEPER';
}
