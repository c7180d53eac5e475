import { type ConsoleSecrets } from '../../store/console-secrets.js';
import { type Cipher } from './stored-tls.js';

/** Seals and opens the secrets of one kind of connections that are added in the page. */
export class ConnectionCiphers {
  readonly #secrets: ConsoleSecrets;
  readonly #kind: string;
  readonly #main: string;

  /**
   * @param kind `registries`, `data-sources`
   * @param main the main secret, such as `digest`, which is sealed under the name of the connection alone
   */
  constructor(secrets: ConsoleSecrets, { kind, main }: { readonly kind: string; readonly main: string }) {
    this.#secrets = secrets;
    this.#kind = kind;
    this.#main = main;
  }

  /** Seals secrets for the store. */
  seal(name: string): Cipher {
    return (what, text) => this.#secrets.seal(this.#ownerOf(name, what), text);
  }

  /** Leaves secrets unsealed, for a connection that is tried and not stored: `open` returns such a secret unchanged. */
  readonly leave: Cipher = (_, text) => UNSEALED + text;

  open(name: string): Cipher {
    return (what, text) =>
      text.startsWith(UNSEALED) ? text.slice(UNSEALED.length) : this.#secrets.open(this.#ownerOf(name, what), text);
  }

  #ownerOf(name: string, what: string): string {
    return what === this.#main ? `${this.#kind}/${name}` : `${this.#kind}/${name}/${what}`;
  }
}

/** The mark before an unsealed secret; no sealed one begins with it. */
const UNSEALED = '\0';
