import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ConsoleProblem } from '../answers/console-problem.js';

const CIPHER = 'aes-256-gcm';
const PREFIX = 'v1.';

/**
 * Encrypts the secrets that users enter in the page (passwords of databases, digests of registry centres) before they
 * are stored: AES-256-GCM with a key made of the option `secretKey`.
 */
export class ConsoleSecrets {
  readonly #key: Buffer | undefined;

  /** @param secretKey a text of at least 32 characters; without it, the console stores no secrets */
  constructor(secretKey: string | undefined) {
    this.#key =
      secretKey === undefined ? undefined : Buffer.from(hkdfSync('sha256', secretKey, '', 'elasticjob-console', 32));
  }

  /** True if secrets can be stored. */
  get canSeal(): boolean {
    return this.#key !== undefined;
  }

  /**
   * Encrypts a secret.
   * @param owner the owner of the secret, `data-sources/orders`, for which alone it can be decrypted
   * @throws ConsoleProblem 409 `no-secret-key` if the console has no key
   */
  seal(owner: string, secret: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv(CIPHER, this.#requireKey(), nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /**
   * Decrypts a secret that `seal` has encrypted for the same owner.
   * @throws ConsoleProblem 409 `no-secret-key` if the console has no key, 409 `wrong-secret-key` if it has another one
   */
  open(owner: string, sealed: string): string {
    const key = this.#requireKey();
    try {
      if (!sealed.startsWith(PREFIX)) throw new Error('It is of another version.');
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    } catch (cause) {
      const detail = `The stored secret of ${owner} cannot be decrypted: the option secretKey (EJC_SECRET_KEY) is another one than when it was stored. Enter the secret again.`;
      throw new ConsoleProblem(409, 'wrong-secret-key', detail, { cause });
    }
  }

  #requireKey(): Buffer {
    if (this.#key !== undefined) return this.#key;
    throw new ConsoleProblem(
      409,
      'no-secret-key',
      'The console keeps no secrets, as it has no key to encrypt them with: set EJC_SECRET_KEY, or the option secretKey, to a random text of at least 32 characters.',
    );
  }
}
