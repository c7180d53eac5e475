import { randomBytes } from 'node:crypto';
import { isMap } from '../../../api/text/describe-value.js';
import { type ConsoleRequest } from '../callers/caller.js';
import { type KeyRing } from './key-ring.js';
import { readCookie, setCookie } from './session-cookie.js';

/** The purpose of the signature, for the key ring. */
const PURPOSE = 'device';
const SUFFIX = '-device';
const REMEMBERED_SECONDS = 180 * 24 * 60 * 60;
/** The most users of one browser. */
const MOST_USERS = 5;

/** The content of the cookie. */
interface Device {
  /** Random; failed attempts in this browser are counted by it. */
  readonly id: string;
  /** The users who have logged in with the browser, in lower case, the latest first. */
  readonly users: readonly string[];
}

/**
 * Recognises browsers in which users have logged in before, by a signed cookie that outlives the session. The cookie is
 * no login: it only excludes failed attempts of strangers from the count in that browser.
 */
export class KnownDevices {
  readonly #keys: KeyRing;

  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** The id of the browser of a request; `undefined` if this user has not logged in with it before. */
  idFor(username: string, request: ConsoleRequest): string | undefined {
    const { elasticJobCaller: caller } = request;
    if (caller?.sessionId !== undefined && caller.username.toLowerCase() === username.toLowerCase())
      return caller.sessionId;
    const device = this.#of(request);
    return device?.users.includes(username.toLowerCase()) === true ? device.id : undefined;
  }

  /** The `Set-Cookie` header by which the browser is recognised after a login. */
  remember(username: string, request: ConsoleRequest): string {
    const { id, users } = this.#of(request) ?? { id: randomBytes(9).toString('base64url'), users: [] };
    const user = username.toLowerCase();
    const device: Device = { id, users: [user, ...users.filter((each) => each !== user)].slice(0, MOST_USERS) };
    const signed = this.#keys.sign(PURPOSE, Buffer.from(JSON.stringify(device)).toString('base64url'));
    return setCookie(signed, { isSecure: isSecure(request), suffix: SUFFIX, maxAgeSeconds: REMEMBERED_SECONDS });
  }

  #of(request: ConsoleRequest): Device | undefined {
    const cookie = readCookie(request, { isSecure: isSecure(request), suffix: SUFFIX });
    const signed = cookie === undefined ? undefined : this.#keys.verify(PURPOSE, cookie);
    if (signed === undefined) return undefined;
    const device: unknown = JSON.parse(Buffer.from(signed, 'base64url').toString());
    return isMap(device) ? (device as unknown as Device) : undefined;
  }
}

function isSecure({ elasticJobOrigin }: ConsoleRequest): boolean {
  return elasticJobOrigin?.isSecure === true;
}
