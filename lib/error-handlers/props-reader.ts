/** A job's properties, as error handlers read them. */
export type Props = Readonly<Record<string, string>>;

/** What an error handler was configured with, or what is wrong with that. */
export type Reading<Settings> =
  { readonly settings: Settings } | { readonly problems: readonly [string, ...(readonly string[])] };

const GREATEST_INT = 2 ** 31 - 1;

/**
 * Reads the properties of one error handler, and notes what is wrong with them, in Java's words. No message has the value
 * of a property, because it may be a secret.
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

  /** `true` ignoring case is true, anything else false, as in Java. */
  flag(key: string, byDefault: 'true' | 'false'): boolean {
    return (this.#own(key) ?? byDefault).toLowerCase() === 'true';
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

  /** What was read, or what is wrong with it. */
  result<Settings>(settings: Settings): Reading<Settings> {
    const [first, ...more] = this.#problems;
    return first === undefined ? { settings } : { problems: [first, ...more] };
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
