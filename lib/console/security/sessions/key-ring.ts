import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Keys that sign cookies of the console: the first one signs, all verify, so that keys can be exchanged. */
export class KeyRing {
  readonly #keys: readonly Buffer[];

  /** @param keys texts of at least 32 characters; without any, a random key is made, which only this process knows */
  constructor(keys: readonly string[]) {
    this.#keys = keys.length === 0 ? [randomBytes(32)] : keys.map((key) => Buffer.from(key, 'utf8'));
  }

  /** The text with its signature. A text that was signed for one `purpose` is invalid for any other. */
  sign(purpose: string, text: string): string {
    return `${text}.${signature(this.#keys[0] as Buffer, purpose, text).toString('base64url')}`;
  }

  /** Bytes that only the first key can make from a text, always the same ones. */
  derive(purpose: string, text: string): Buffer {
    return signature(this.#keys[0] as Buffer, purpose, text);
  }

  /** The text that was signed; `undefined` if none of the keys has signed it. */
  verify(purpose: string, signed: string): string | undefined {
    const end = signed.lastIndexOf('.');
    if (end < 0) return undefined;
    const text = signed.slice(0, end);
    const given = Buffer.from(signed.slice(end + 1), 'base64url');
    const isOurs = this.#keys.some((key) => {
      const expected = signature(key, purpose, text);
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    return isOurs ? text : undefined;
  }
}

function signature(key: Buffer, purpose: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\0${text}`).digest();
}
