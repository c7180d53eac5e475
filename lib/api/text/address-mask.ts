/** Hides addresses in foreign, long texts: the scanner looks at each character a few times at most. */
import { isIPv6 } from 'node:net';

const IPV4 = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?!\.?\d)/g;
/** The characters of which an address of either version consists. */
const ADDRESS_RUN = /[0-9a-f:.]+/gi;
/** The longest text that is an address of the sixth version: it ends with one of the fourth. */
const LONGEST_IPV6 = 45;

/**
 * Replaces IP addresses by `ip1`, `ip2` …, as ElasticJob's dump does (ecosystem: the dump service): in the order in
 * which they first occur, the same address by the same number. Unlike Java's, it also knows IPv6, in any spelling.
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

/** @returns the end of the IPv6 address at the start of the run, or 0. A dot behind the address ends a sentence. */
function endOfIpv6(run: string, goesOn: boolean): number {
  let end = goesOn ? run.lastIndexOf('.') : run.length;
  while (end > 0 && run[end - 1] === '.') end--;
  const [start = ''] = run.slice(0, Math.max(0, end)).split('.', 1);
  return start.includes(':') ? end : 0;
}
