/**
 * Passwords are stored as scrypt hashes with their costs, `$scrypt$ln=17,r=8,p=1$<salt>$<hash>` (base64 without
 * padding), so that later releases can raise the costs: `needsRehash` finds hashes of former costs.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { type Wording, wording } from '../../../wording/wording.js';
import { HASH_QUEUES, type HashQueue } from './hash-queue.js';
import { NEW_HASH_COSTS, type ScryptCosts } from './scrypt-costs.js';

const COSTS = NEW_HASH_COSTS;
/** The highest cost of a stored hash, so that a login does not use up the machine's memory. */
const MOST_LN = 20;
const HASH_BYTES = 32;

const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]{22,})\$([A-Za-z\d+/]{43})$/;

/** The fewest characters of a new password. */
export const SHORTEST_PASSWORD = 12;
/** The most characters of a password: a longer one would only cost time. */
export const LONGEST_PASSWORD = 1_024;

/** The names and passwords that ElasticJob's consoles were shipped with. */
const SHIPPED = [
  ['root', 'root'],
  ['guest', 'guest'],
  ['admin', 'admin'],
] as const;

/** True if this name and password were shipped with ElasticJob's consoles. */
export function isShippedDefault(username: string, password: string): boolean {
  return SHIPPED.some(([name, word]) => name === username && word === password);
}

/** @returns the problem with a new password, as a requirement; `undefined` if there is none */
export function passwordProblem(username: string, password: unknown): Wording | undefined {
  if (typeof password !== 'string') return wording('text');
  if (password.length < SHORTEST_PASSWORD) return wording('password-short', { least: SHORTEST_PASSWORD });
  if (password.length > LONGEST_PASSWORD) return wording('password-long', { most: LONGEST_PASSWORD });
  if (password.toLowerCase().includes(username.toLowerCase()) && password.length < username.length + SHORTEST_PASSWORD)
    return wording('password-name');
  return undefined;
}

/** Makes the hash of a password. @throws ConsoleProblem 503 `busy` if too many wait in the queue */
export async function hashPassword(password: string, queue: HashQueue = HASH_QUEUES.settings): Promise<string> {
  const salt = randomBytes(16);
  const hash = await queue.run(() => derive(password, salt, COSTS));
  return `$scrypt$ln=${COSTS.ln},r=${COSTS.r},p=${COSTS.p}$${base64(salt)}$${base64(hash)}`;
}

/** True if a text is a hash that `verifyPassword` can check. */
export function isPasswordHash(text: unknown): text is string {
  return typeof text === 'string' && parse(text) !== undefined;
}

/** True if a hash was made with other costs than new hashes. */
export function needsRehash(stored: string): boolean {
  const costs = parse(stored)?.costs;
  return costs === undefined || costs.ln !== COSTS.ln || costs.r !== COSTS.r || costs.p !== COSTS.p;
}

/**
 * True if `stored` is the hash of `password`. Without a hash, because there is no such user, the check takes as long
 * and is false, so that the time does not reveal which users exist.
 * @throws ConsoleProblem 503 `busy` if too many wait in the queue
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
  queue: HashQueue = HASH_QUEUES.settings,
): Promise<boolean> {
  const { costs, salt, hash } = (stored === undefined ? undefined : parse(stored)) ?? DUMMY;
  const actual = await queue.run(() => derive(password.slice(0, LONGEST_PASSWORD + 1), salt, costs));
  return timingSafeEqual(actual, hash) && stored !== undefined;
}

const DUMMY = { costs: COSTS, salt: randomBytes(16), hash: randomBytes(HASH_BYTES) };

function parse(stored: string): typeof DUMMY | undefined {
  const [, ln, r, p, salt = '', hash = ''] = FORMAT.exec(stored) ?? [];
  const costs = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (!(costs.ln >= 10 && costs.ln <= MOST_LN && costs.r >= 1 && costs.r <= 16 && costs.p >= 1 && costs.p <= 4))
    return undefined;
  return { costs, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

function derive(password: string, salt: Buffer, { ln, r, p }: ScryptCosts): Promise<Buffer> {
  const options = { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 128 * 2 };
  return new Promise((resolve, reject) => {
    // Different encodings of the same letter are the same password.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
