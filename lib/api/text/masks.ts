/**
 * Hides secrets and addresses in texts that anybody may have written, and that may be long: each pattern here looks at a character a few
 * times at most. None has two repetitions side by side that take the same characters.
 */
import { isIPv6 } from 'node:net';

/** What stands in the place of a secret. */
const HIDDEN = '******';

/** A name of which the value is a secret: of a property, of a setting of a data source, or of a part of an address. */
const SECRET_NAME = /password|passwd|secret|token|credential|api-?key|webhook/i;

/** `email.password: ` in YAML, in a map of one line too: indentation, and name. */
const ENTRY = /(?:^|[\n{,[]|- )([ \t]*)["']?([\w.-]+)["']?[ \t]*:[ \t]+/g;

/** A value in quotes, or up to the end of the line or of the entry. */
const ENTRY_VALUE = /'[^']*(?:''[^']*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|[^\n,}]+/y;

/** `?password=` or `&access_token=` */
const PARAMETER = /[?&;]([\w.-]+)=/g;
const PARAMETER_VALUE = /[^&;\s'",}]*/y;

/** `//user:password@` */
const USER_INFO = /\/\/([^\s/@'"]+)@/g;

/** Returns the text of a node with asterisks in the place of each password, token, secret and webhook. */
export function withoutSecrets(text: string): string {
  const withoutEntries = hidden(text, ENTRY, ([, indent = '', name = ''], start) =>
    SECRET_NAME.test(name) ? entryEnd(text, start, indent) : undefined,
  );
  return hidden(withoutEntries, PARAMETER, ([, name = ''], start) =>
    SECRET_NAME.test(name) ? endOf(PARAMETER_VALUE, withoutEntries, start) : undefined,
  ).replace(USER_INFO, (found, user: string) => (user.indexOf(':', 1) > 0 ? `//${HIDDEN}@` : found));
}

/**
 * Puts asterisks in the place of what follows some of the matches.
 * @param valueEnd where the value behind a match ends, which starts at `start`; `undefined` if it is no secret
 */
function hidden(
  text: string,
  pattern: RegExp,
  valueEnd: (match: RegExpExecArray, start: number) => number | undefined,
): string {
  let result = '';
  let shown = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = pattern.lastIndex;
    const end = valueEnd(match, start);
    if (end === undefined) continue;
    result += text.slice(shown, start) + HIDDEN;
    pattern.lastIndex = shown = end;
  }
  return result + text.slice(shown);
}

function endOf(value: RegExp, text: string, start: number): number | undefined {
  value.lastIndex = start;
  return value.test(text) ? value.lastIndex : undefined;
}

function entryEnd(text: string, start: number, indent: string): number | undefined {
  const isBlock = text[start] === '|' || text[start] === '>';
  return isBlock ? blockEnd(text, start, indent) : endOf(ENTRY_VALUE, text, start);
}

/** The end of a block, with all lines that are blank, or indented deeper than its entry. */
function blockEnd(text: string, start: number, indent: string): number {
  for (let end = lineEnd(text, start); ;) {
    const next = lineEnd(text, end + 1);
    const line = text.slice(end + 1, next);
    const isIndented = line.startsWith(indent) && /^[ \t]/.test(line.slice(indent.length, indent.length + 1));
    const isBlank = next < text.length && line.trim() === '';
    if (end === text.length || !(isIndented || isBlank)) return end;
    end = next;
  }
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

const PART = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = new RegExp(String.raw`(?<![\d.])(?:${PART}\.){3}${PART}(?!\.?\d)`, 'g');
/** All of which an address of either version may consist. */
const ADDRESS_RUN = /[0-9a-f:.]+/gi;
/** The longest text that is an address of the sixth version: it ends with one of the fourth. */
const LONGEST_IPV6 = 45;

/**
 * Replaces IP addresses by `ip1`, `ip2` …, as ElasticJob's dump does (ecosystem: the dump service): in the order in which they
 * first occur, the same address by the same number. Unlike Java's, it also knows IPv6, in whichever spelling.
 */
export class AddressMask {
  readonly #names = new Map<string, string>();

  /** The text without its addresses. */
  apply(text: string): string {
    return text.replace(ADDRESS_RUN, (run, offset: number) => {
      // A dump of many items has very many runs, most of which are parts of words.
      if (!run.includes(':')) return run.includes('.') ? this.#withoutIpv4(run) : run;
      const isPartOfWord = /\w/.test(text.charAt(offset - 1));
      const end = isPartOfWord ? 0 : endOfIpv6(run, /\w/.test(text.charAt(offset + run.length)));
      const address = run.slice(0, end);
      if (end > LONGEST_IPV6 || !isIPv6(address)) return this.#withoutIpv4(run);
      return this.#nameOf(new URL(`http://[${address}]/`).hostname) + this.#withoutIpv4(run.slice(end));
    });
  }

  /** Also in a time such as 10:15:30, or behind a port. */
  #withoutIpv4(text: string): string {
    return text.replace(IPV4, (address) => this.#nameOf(address));
  }

  #nameOf(address: string): string {
    const name = this.#names.get(address) ?? `ip${this.#names.size + 1}`;
    this.#names.set(address, name);
    return name;
  }
}

/** Where what may be an IPv6 address ends, which begins with the run; 0 if it does not. A dot behind it ends a sentence. */
function endOfIpv6(run: string, goesOn: boolean): number {
  let end = goesOn ? run.lastIndexOf('.') : run.length;
  while (end > 0 && run[end - 1] === '.') end--;
  const [start = ''] = run.slice(0, Math.max(0, end)).split('.', 1);
  return start.includes(':') ? end : 0;
}
