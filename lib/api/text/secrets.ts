/**
 * Hides secrets in each text that leaves the process: console, command line, dump, log, trace, records of operations,
 * mails. Texts are foreign and may be long: each reader here goes over a text from its start to its end, and never
 * back.
 *
 * ```
 *   names       password: x   "token":"x"   --password x   a=b,pwd=x   <secret>x</secret>      by secret-names.ts
 *   addresses   //user:x@host   //x@host   hooks.example.com/x   /a/8fJ2kQ…   ?key=x
 *   shapes      Bearer x   eyJ….….…   ghp_…   -----BEGIN PRIVATE KEY-----
 * ```
 *
 * A word in a sentence is no name: `the password: YES` stays.
 */
import { type Wording, wording } from '../../wording/wording.js';
import { hideNamed } from './secret-values.js';
import { isSecretName } from './secret-names.js';

/** Stands in the place of a secret. */
export const HIDDEN = '******';

/**
 * The text with asterisks in the place of each password, token, key, secret and webhook.
 * @param isSecret returns true if the value of that name is to be hidden. Default: `isSecretName`
 */
export function withoutSecrets(text: string, isSecret: (name: string) => boolean = isSecretName): string {
  return withoutShapes(withoutSecretsOfAddresses(hideNamed(text, isSecret, HIDDEN)));
}

/**
 * The value of a setting, a property or a field without secrets: nothing of it is shown if its name is that of a
 * secret.
 */
export function shownValue(name: string, value: string, isSecret: (name: string) => boolean = isSecretName): string {
  return value !== '' && isSecret(name) ? HIDDEN : withoutSecrets(value, isSecret);
}

/** The values without secrets, by name. */
export function shownValues(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shownValue(name, value)]));
}

/** A value that somebody saw with asterisks, and gives back. */
export type GivenBack = { readonly value: string } | { readonly problem: Wording };

/**
 * The value to store for one that somebody gives back: if it is still equal to the shown one, it stays as it was.
 * @param stored the stored value; `undefined` if there is none
 * @param shown the value as it was shown
 * @returns the value, or the problem if asterisks would be stored
 */
export function givenBack(given: string, stored: string | undefined, shown: string | undefined): GivenBack {
  if (stored !== undefined && given === shown) return { value: stored };
  if (!given.includes(HIDDEN)) return { value: given };
  if (stored === undefined || !shown?.includes(HIDDEN))
    return { problem: wording('secret-unknown', { hidden: HIDDEN }) };
  return { problem: wording('secret-changed', { hidden: HIDDEN }) };
}

/** An address, from its two slashes on. */
const ADDRESS = /\/\/[^\s"<>`\\]+/g;
/** Its server, with user and password before it. */
const AUTHORITY = /^[^/?#]*/;
/** A colon that no port follows. */
const PASSWORD_COLON = /^[^[:]*:(?!\d*$)/;
/** The server or folder of a webhook: everything behind it is secret. */
const HOOK = /^(?:web)?hooks?(?:b\d)?$/i;

function withoutSecretsOfAddresses(text: string): string {
  return text.replace(ADDRESS, (run) =>
    run
      .slice(2)
      .split('//')
      .map((each) => `//${withoutSecretsOfAddress(each)}`)
      .join(''),
  );
}

/** @param address without its slashes */
function withoutSecretsOfAddress(address: string): string {
  const [authority = ''] = AUTHORITY.exec(address) ?? [];
  const at = authority.lastIndexOf('@');
  // A password that was not encoded may have slashes.
  const end = at < 0 && PASSWORD_COLON.test(authority) ? address.lastIndexOf('@') : at;
  const user = address.slice(0, Math.max(0, end));
  // `'//a','b@c'` are two texts.
  if (user === '' || (user.includes("'") && !user.includes(':'))) return withoutSecretsOfPath(address);
  return `${HIDDEN}@${withoutSecretsOfPath(address.slice(end + 1))}`;
}

/** @param address from its server on */
function withoutSecretsOfPath(address: string): string {
  const length = address.search(/[?#'|]/);
  const [path, rest] = length < 0 ? [address, ''] : [address.slice(0, length), address.slice(length)];
  const [server = '', ...folders] = path.split('/');
  const isHook = server.split('.').some((label) => HOOK.test(label));
  const hook = isHook ? 0 : 1 + folders.findIndex((folder) => HOOK.test(folder) || isSecretName(folder));
  const isWholeRest = (isHook || hook > 0) && folders.slice(hook).some((folder) => folder !== '');
  const shown = isWholeRest
    ? [...folders.slice(0, hook), HIDDEN]
    : folders.map((folder) => (looksSecret(folder) ? HIDDEN : folder));
  return [server, ...shown].join('/') + rest;
}

/**
 * True if a part of a path looks random: it mixes digits with letters of both cases, or is very long without
 * punctuation.
 */
function looksSecret(part: string): boolean {
  if (part.length < 16 || !/^[\w~+=%:-]+$/.test(part) || !/\d/.test(part)) return false;
  return (
    (/[a-z]/.test(part) && /[A-Z]/.test(part)) || (part.length >= 24 && /^[a-z\d]+$/i.test(part) && /[a-z]/i.test(part))
  );
}

/** Texts that are secret regardless of their names. */
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g;
const KEY_OF_A_SERVICE =
  /(?<![\w-])(?:(?:AKIA|ASIA)[A-Z\d]{16}(?![A-Z\d])|(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|npm_|hf_|ejc_)[\w-]{16,})/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END )[^])*(?:-----END [A-Z ]{0,40}-----)?/g;
const AUTHORIZATION = /(?<![\w-])(Bearer|Basic)([ \t]+)([\w.~+/-]{6,}=*)/gi;
/** A user of curl and its kind. */
const USER_OPTION = /((?<!\S)(?:-u|--(?:proxy-)?user)[ \t=]["']?[^\s:"']+:)[^\s"']+/g;

function withoutShapes(text: string): string {
  return text
    .replace(JSON_WEB_TOKEN, HIDDEN)
    .replace(KEY_OF_A_SERVICE, HIDDEN)
    .replace(PRIVATE_KEY, HIDDEN)
    .replace(AUTHORIZATION, (found, scheme: string, blank: string, value: string) =>
      /\d|[a-z][A-Z]|=/.test(value) ? scheme + blank + HIDDEN : found,
    )
    .replace(USER_OPTION, `$1${HIDDEN}`);
}
