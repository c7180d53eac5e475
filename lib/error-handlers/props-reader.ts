import { describeValue } from '../api/text/describe-value.js';

/** A job's properties, as error handlers read them. */
export type Props = Readonly<Record<string, string>>;

/** The settings of an error handler, or their problems. */
export type Reading<Settings> =
  { readonly settings: Settings } | { readonly problems: readonly [string, ...(readonly string[])] };

const GREATEST_INT = 2 ** 31 - 1;
const GREATEST_PORT = 65_535;

/** `jobs@example.com` or `Jobs <jobs@example.com>`. */
const ADDRESS = /^(?:(?:"[^"]*" *|[^<>@;"]*)<[^\s<>@;,]+@[^\s<>@;,]+>|[^\s<>@;,"]+@[^\s<>@;,"]+)$/;

/**
 * Reads the properties of one error handler, and notes their problems, in Java's words if Java has a message. No
 * message contains a text that may be a secret.
 */
export class PropsReader {
  readonly #props: Props;
  readonly #problems: string[] = [];

  constructor(props: Props) {
    this.#props = props;
  }

  /** The text of a property that must be there. As in Java, it may be empty. */
  required(key: string): string {
    const value = this.#own(key);
    if (value === undefined) this.#problems.push(`The property \`${key}\` is required.`);
    return value ?? '';
  }

  /** The text of a property; `undefined` if it is missing or empty. */
  optional(key: string): string | undefined {
    const value = this.#own(key);
    return value === '' ? undefined : value;
  }

  /**
   * `true` or `false` ignoring case, or empty for the default. Java reads any other text as false, which may be less
   * safe.
   */
  flag(key: string, byDefault: boolean): boolean {
    const value = this.optional(key)?.toLowerCase();
    if (value === 'true' || value === 'false') return value === 'true';
    if (value !== undefined) this.#refuse(key, 'must be true or false');
    return byDefault;
  }

  /** The number of a TCP port; it must be there. */
  port(key: string): number {
    const port = this.positive(key);
    if (port > GREATEST_PORT && port <= GREATEST_INT) this.#refuse(key, `must be a port from 1 to ${GREATEST_PORT}`);
    return port;
  }

  /** The name or IP address of a server; it must be there. */
  host(key: string): string {
    const host = this.required(key);
    const isMissing = this.#own(key) === undefined;
    if (!isMissing && (host === '' || /[\s/@[\]]/.test(host) || /^[^:]*:[^:]*$/.test(host)))
      this.#refuse(
        key,
        'must be the name or the IP address of a server alone, such as smtp.example.com, without protocol and port',
      );
    return host;
  }

  /** The one mail address of a property that must be there. */
  address(key: string): string {
    const address = this.required(key).trim();
    if (this.#own(key) !== undefined && !ADDRESS.test(address))
      this.#refuse(key, 'must be a mail address such as jobs@example.com or Jobs <jobs@example.com>');
    return address;
  }

  /** The mail addresses of a property, separated by commas; none if it is missing or empty. */
  addresses(key: string): readonly string[] {
    const addresses = (this.#own(key) ?? '').match(/(?:"[^"]*"|[^,])+/g) ?? [];
    const trimmed = addresses.map((address) => address.trim()).filter((address) => address !== '');
    if (!trimmed.every((address) => ADDRESS.test(address)))
      this.#refuse(key, 'must be mail addresses such as jobs@example.com, separated by commas');
    return trimmed;
  }

  /** As `addresses`; at least one must be there. */
  someAddresses(key: string): readonly string[] {
    this.required(key);
    const addresses = this.addresses(key);
    if (this.#own(key) !== undefined && addresses.length === 0)
      this.#refuse(key, 'must have at least one mail address');
    return addresses;
  }

  /** A positive integer. Without `byDefault` it must be there. */
  positive(key: string, byDefault?: number): number {
    const value = this.#own(key) ?? byDefault?.toString();
    if (value === undefined) {
      this.required(key);
      return NaN;
    }
    const number = /^[+-]?\d+$/.test(value) ? Number(value) : NaN;
    if (!Number.isInteger(number) || Math.abs(number) > GREATEST_INT)
      this.#problems.push(`The property \`${key}\` should be integer.`);
    else if (number <= 0) this.#problems.push(`The property \`${key}\` should be positive.`);
    return number;
  }

  /** The address of a service; it must be there. */
  url(key: string): URL | undefined {
    if (this.#own(key) === undefined) {
      this.required(key);
      return undefined;
    }
    const url = parsed(this.required(key));
    if (url === undefined) this.#problems.push(`The property \`${key}\` should be an http or https URL.`);
    return url;
  }

  /** The settings, or the problems that were noted. */
  result<Settings>(settings: Settings): Reading<Settings> {
    const [first, ...more] = this.#problems;
    return first === undefined ? { settings } : { problems: [first, ...more] };
  }

  #refuse(key: string, requirement: string): void {
    this.#problems.push(`The property \`${key}\` ${requirement}, got ${describeValue(this.#own(key))}.`);
  }

  #own(key: string): string | undefined {
    return Object.hasOwn(this.#props, key) ? this.#props[key] : undefined;
  }
}

function parsed(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}
