import { isIPv6 } from 'node:net';

/** What stands in the place of a secret. */
const HIDDEN = '******';

/** A name of which the value is a secret: of a property, of a setting of a data source, or of a part of an address. */
const SECRET_NAME = String.raw`[\w.-]*(?:password|passwd|secret|token|credential|api-?key|webhook)[\w.-]*`;

/** `email.password: 'x'` in YAML, in a map of one line too; a block (`|`, `>`) with the lines that belong to it. */
const SECRET_ENTRY = new RegExp(
  String.raw`(^|[\n{,[]|- )([ \t]*)(["']?${SECRET_NAME}["']?[ \t]*:[ \t]+)` +
    String.raw`('(?:[^']|'')*'|"(?:\\.|[^"\\])*"|[|>][^\n]*(?:\n\2[ \t]+[^\n]*|\n[ \t]*(?=\n))*|[^\n,}]+)`,
  'gi',
);

/** `?password=x` or `&access_token=x`. */
const SECRET_PARAMETER = new RegExp(String.raw`([?&;]${SECRET_NAME}=)[^&;\s'",}]*`, 'gi');

/** `//user:password@host` */
const USER_INFO = /(\/\/)[^\s/@'"]+:[^\s/@'"]*@/g;

/** Returns the text of a node with asterisks in the place of each password, token, secret and webhook. */
export function withoutSecrets(text: string): string {
  return text
    .replace(SECRET_ENTRY, (_, before: string, indent: string, name: string) => `${before}${indent}${name}${HIDDEN}`)
    .replace(SECRET_PARAMETER, `$1${HIDDEN}`)
    .replace(USER_INFO, `$1${HIDDEN}@`);
}

const PART = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = String.raw`(?<![\d.])(?:${PART}\.){3}${PART}(?!\.?\d)`;
/** What may be an IPv6 address, which may end with an IPv4 address. */
const IPV6_LIKE = String.raw`(?<![\w:.])[0-9a-f:]*:[0-9a-f:.]*[0-9a-f:](?![\w:])`;
const ADDRESS = new RegExp(`${IPV6_LIKE}|${IPV4}`, 'gi');

/**
 * Replaces IP addresses by `ip1`, `ip2` …, as ElasticJob's dump does (ecosystem: the dump service): in the order in which they
 * first occur, the same address by the same number. Unlike Java's, it also knows IPv6, in whichever spelling.
 */
export class AddressMask {
  readonly #names = new Map<string, string>();

  /** The text without its addresses. */
  apply(text: string): string {
    return text.replace(ADDRESS, (found) => {
      if (!found.includes(':')) return this.#nameOf(found);
      if (isIPv6(found)) return this.#nameOf(new URL(`http://[${found}]/`).hostname);
      // A time such as 10:15:30, or a port before an address.
      return found.replace(new RegExp(IPV4, 'g'), (address) => this.#nameOf(address));
    });
  }

  #nameOf(address: string): string {
    const name = this.#names.get(address) ?? `ip${this.#names.size + 1}`;
    this.#names.set(address, name);
    return name;
  }
}
