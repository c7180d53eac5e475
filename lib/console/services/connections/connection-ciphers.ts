import { type ConsoleSecrets } from '../../store/console-secrets.js';
import { type Cipher } from './stored-tls.js';

/** Seals and opens the secrets of one kind of connections that are added in the page. */
export class ConnectionCiphers {
  readonly #secrets: ConsoleSecrets;
  readonly #kind: string;
  readonly #main: string;

  /**
   * @param kind `registries`, `data-sources`
   * @param main the secret that each had from the beginning, `digest`: it is sealed for the connection as a whole
   */
  constructor(secrets: ConsoleSecrets, { kind, main }: { readonly kind: string; readonly main: string }) {
    this.#secrets = secrets;
    this.#kind = kind;
    this.#main = main;
  }

  /** For the store. */
  seal(name: string): Cipher {
    return (what, text) => this.#secrets.seal(this.#placeOf(name, what), text);
  }

  /** For a connection that is tried and not stored: `open` gives such a secret back. */
  readonly leave: Cipher = (_, text) => UNSEALED + text;

  open(name: string): Cipher {
    return (what, text) =>
      text.startsWith(UNSEALED) ? text.slice(UNSEALED.length) : this.#secrets.open(this.#placeOf(name, what), text);
  }

  #placeOf(name: string, what: string): string {
    return what === this.#main ? `${this.#kind}/${name}` : `${this.#kind}/${name}/${what}`;
  }
}

/** Begins a secret that is not sealed; no sealed one begins so. */
const UNSEALED = '\0';
