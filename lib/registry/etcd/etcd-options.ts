import { placeholderProblem } from '../../api/settings/placeholder.js';
import { IntegerSetting, rule, SectionSetting, Setting, TextSetting } from '../../api/settings/setting.js';
import { hasRefusedCharacters } from '../../api/text/node-name.js';
import { wording } from '../../wording/wording.js';
import { TlsSettings } from '../tls-settings.js';
import { endpointsProblem } from './client/endpoints.js';
import { DEFAULT_MAX_TXN_OPS } from './etcd-limits.js';

/** The values of settings that are missing, or of numbers that are 0. */
export const DEFAULTS = {
  sessionTimeoutMilliseconds: 60_000,
  connectionTimeoutMilliseconds: 5_000,
  maxTxnOps: DEFAULT_MAX_TXN_OPS,
} as const;

/** Fewer would leave no room for one operation beside what each commit compares. */
const FEWEST_TXN_OPS = 16;
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const WITHOUT_PLACEHOLDERS = rule('placeholder', placeholderProblem);
const THE_DEFAULT = { value: 0, meaning: wording('the-default') } as const;

/** The user and the password of a configuration. */
interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** Settings that a registry centre on etcd has, and those of an application as well. */
export const DECLARED_FOR_ETCD = {
  endpoints: Setting({ kind: 'text' }, WITHOUT_PLACEHOLDERS, rule('endpoints', endpointsProblem)),
  username: TextSetting({}, WITHOUT_PLACEHOLDERS, rule('pair', usernameProblem)),
  password: TextSetting({ secrecy: 'hidden' }, WITHOUT_PLACEHOLDERS, rule('pair', passwordProblem)),
  maxTxnOps: IntegerSetting({ min: FEWEST_TXN_OPS, also: THE_DEFAULT }),
} as const;

/** The settings of the connection to an etcd, declared. `EtcdConfiguration` documents them. */
export class EtcdOptions {
  @DECLARED_FOR_ETCD.endpoints endpoints?: string;
  @Setting({ kind: 'text' }, WITHOUT_PLACEHOLDERS, rule('namespace', namespaceProblem)) namespace?: string;
  @DECLARED_FOR_ETCD.username username?: string;
  @DECLARED_FOR_ETCD.password password?: string;
  @IntegerSetting({ min: 1_000, max: LONGEST_TIMEOUT_MS, also: THE_DEFAULT }) sessionTimeoutMilliseconds?: number;
  @IntegerSetting({ min: 100, max: LONGEST_TIMEOUT_MS, also: THE_DEFAULT }) connectionTimeoutMilliseconds?: number;
  @DECLARED_FOR_ETCD.maxTxnOps maxTxnOps?: number;
  @SectionSetting() tls?: TlsSettings;
}

/**
 * Checks a namespace, which may be a path such as `team/orders`. A colon ends it in the keys.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function namespaceProblem(text: unknown): string | undefined {
  const isName = (part: string): boolean =>
    part !== '' && part === part.trim() && part !== '.' && part !== '..' && !/[:"']/.test(part);
  const isUsable = typeof text === 'string' && !hasRefusedCharacters(text) && text.split('/').every(isName);
  return isUsable ? undefined : "must be a name such as 'orders' or 'team/orders', without colons and quotes";
}

/** @returns what is wrong with certificates that are given for these endpoints, or undefined */
export function tlsSchemeProblem(endpoints: unknown): string | undefined {
  const isPlain = typeof endpoints === 'string' && !/^\s*https:/.test(endpoints);
  return isPlain ? "is given, but endpoints have no https; write 'https://host:2379'" : undefined;
}

function usernameProblem(username: string, { password }: Credentials): string | undefined {
  if (username === '') return 'must not be empty';
  return password === undefined ? 'must be given together with password' : undefined;
}

function passwordProblem(_: string, { username }: Credentials): string | undefined {
  return username === undefined ? 'must be given together with username' : undefined;
}
