import { IntegerSetting, rule, SectionSetting, Setting, TextSetting } from '../../api/settings/setting.js';
import { hasRefusedCharacters } from '../../api/text/node-name.js';
import { TlsSettings } from '../tls-settings.js';
import { endpointsProblem } from './client/endpoints.js';
import { DEFAULT_MAX_TXN_OPS } from './etcd-limits.js';

/** What takes the place of a number that is 0 or missing. */
export const DEFAULTS = {
  sessionTimeoutMilliseconds: 60_000,
  requestTimeoutMilliseconds: 5_000,
  maxTxnOps: DEFAULT_MAX_TXN_OPS,
} as const;

/** Fewer would leave no room for one operation beside what each commit compares. */
const FEWEST_TXN_OPS = 16;
/** With a shorter session, a pause of the garbage collector ends it. */
const SHORTEST_SESSION_MS = 1_000;
const SHORTEST_REQUEST_MS = 100;

/** Where an etcd is, and how to talk to it: the declared settings. `EtcdConfiguration` documents them. */
export class EtcdOptions {
  @Setting({ kind: 'text' }, rule('endpoints', endpointsProblem)) endpoints?: string;
  @Setting({ kind: 'text' }, rule('namespace', namespaceProblem)) namespace?: string;
  @TextSetting({}, rule('pair', usernameProblem)) username?: string;
  @TextSetting({ secrecy: 'hidden' }, rule('pair', passwordProblem)) password?: string;
  @IntegerSetting({ min: SHORTEST_SESSION_MS }) sessionTimeoutMilliseconds?: number;
  @IntegerSetting({ min: SHORTEST_REQUEST_MS }) requestTimeoutMilliseconds?: number;
  @IntegerSetting({ min: FEWEST_TXN_OPS }) maxTxnOps?: number;
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

function usernameProblem(username: string, { password }: EtcdOptions): string | undefined {
  if (username === '') return 'must not be empty';
  return password === undefined ? 'must be given together with password' : undefined;
}

function passwordProblem(_: string, { username }: EtcdOptions): string | undefined {
  return username === undefined ? 'must be given together with username' : undefined;
}
