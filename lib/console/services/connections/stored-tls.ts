/**
 * TLS as users describe it in the page. Certificates are given as texts, never as paths of files of this machine:
 * callers must not read files through the console, and other replicas have other files. The private key and its
 * passphrase are sealed in the store.
 */
import { type Wording, wording } from '../../../wording/wording.js';
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { knownNamesHint } from '../../../api/text/nearest.js';
import { isMap } from '../../../api/text/describe-value.js';
import { isPem, tlsOptions, type TlsSettings } from '../../../registry/zookeeper/zookeeper-security.js';
import { type SettingProblem } from '../../contract/common.js';
import { settingProblem } from '../../answers/setting-problem.js';
import { type TlsChange, type TlsInfo } from '../../contract/registries.js';

/** TLS in the form of the store: `key` and `passphrase` are sealed. */
export type StoredTls = Readonly<TlsSettings>;

/** Seals or opens a secret; `what` names the secret. */
export type Cipher = (what: string, text: string) => string;

const TEXTS = ['ca', 'cert', 'key', 'passphrase', 'servername'] as const;
const KEYS: readonly string[] = [...TEXTS, 'rejectUnauthorized'];
const LONGEST = 100_000;

type Text = (typeof TEXTS)[number];

function isSecret(text: Text): boolean {
  return text === 'key' || text === 'passphrase';
}

/** The problems of a change by itself. */
export function tlsChangeProblems(tls: unknown): readonly SettingProblem[] {
  if (tls === undefined || tls === null) return [];
  if (!isMap(tls)) return [settingProblem('tls', wording('tls-form'))];
  const unknown = Object.keys(tls).filter((key) => !KEYS.includes(key));
  const { rejectUnauthorized = true } = tls;
  return [
    ...unknown.map((key) => settingProblem(`tls.${key}`, wording('is-unknown', { hint: knownNamesHint(key, KEYS) }))),
    ...TEXTS.flatMap((name) => {
      const wrong = textProblem(name, tls[name]);
      return wrong === undefined ? [] : [settingProblem(`tls.${name}`, wrong)];
    }),
    ...(typeof rejectUnauthorized === 'boolean' ? [] : [settingProblem('tls.rejectUnauthorized', wording('boolean'))]),
  ];
}

function textProblem(name: Text, value: unknown): Wording | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || value.length > LONGEST) return wording('text-most', { most: LONGEST });
  if (name === 'passphrase') return undefined;
  if (name === 'servername') return /^[\w.-]{1,255}$/.test(value) ? undefined : wording('host-name');
  return isPem(value) ? undefined : wording('pem-text');
}

/** The settings to store after a change: omitted fields are kept, and empty ones are removed. */
export function changedTls(
  change: TlsChange | null | undefined,
  before: StoredTls | undefined,
  seal: Cipher,
): StoredTls | undefined {
  if (change === undefined) return before;
  if (change === null) return undefined;
  const texts = TEXTS.flatMap((name) => {
    const given = change[name];
    if (given === undefined) return before?.[name] === undefined ? [] : [[name, before[name]]];
    return given === '' ? [] : [[name, isSecret(name) ? seal(`tls.${name}`, given) : given]];
  });
  const { rejectUnauthorized = before?.rejectUnauthorized ?? true } = change;
  return { ...(Object.fromEntries(texts) as StoredTls), ...(!rejectUnauthorized && { rejectUnauthorized }) };
}

/** The stored settings with opened secrets. */
export function openedTls(stored: StoredTls | undefined, open: Cipher): TlsSettings | undefined {
  if (stored === undefined) return undefined;
  const secrets = TEXTS.filter(isSecret).flatMap((name) => {
    const sealed = stored[name];
    return sealed === undefined ? [] : [[name, open(`tls.${name}`, sealed)]];
  });
  return { ...stored, ...(Object.fromEntries(secrets) as TlsSettings) };
}

/** The problems of the settings as a whole, after a change. */
export function tlsProblems(tls: TlsSettings | undefined): readonly SettingProblem[] {
  if (tls === undefined) return [];
  if (tls.cert !== undefined && tls.key === undefined) return [settingProblem('tls.key', wording('with-cert'))];
  if (tls.key !== undefined && tls.cert === undefined) return [settingProblem('tls.cert', wording('with-key'))];
  try {
    tlsOptions(tls, 'tls');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidConfigurationError)) throw error;
    return [settingProblem('tls', wording('tls-unfit'))];
  }
}

/** The part of the settings that the page shows. */
export function tlsInfo(tls: StoredTls | undefined): { readonly tls?: TlsInfo } {
  if (tls === undefined) return {};
  const { ca, cert, servername, rejectUnauthorized = true } = tls;
  return {
    tls: {
      hasCa: ca !== undefined,
      hasCertificate: cert !== undefined,
      ...(servername !== undefined && { servername }),
      rejectUnauthorized,
    },
  };
}

/** For the audit: `none`, `on`, `any certificate`. */
export function tlsInWords(tls: { readonly rejectUnauthorized?: boolean | undefined } | null | undefined): string {
  if (tls === undefined || tls === null) return 'none';
  return tls.rejectUnauthorized === false ? 'any certificate' : 'on';
}

/** True if a change weakens the check of the server, so that a secret might be sent to another one. */
export function isWeaker(before: StoredTls | undefined, after: StoredTls | undefined): boolean {
  if (before === undefined) return false;
  if (after === undefined || before.ca !== after.ca || before.servername !== after.servername) return true;
  return before.rejectUnauthorized !== false && after.rejectUnauthorized === false;
}
