import { hasPlaceholder, NO_PLACEHOLDERS } from '../../api/placeholder.js';
import { Setting, type SettingDeclaration } from '../../api/setting.js';
import { namespaceProblem } from './namespace.js';
import { serverListsProblem } from './server-lists.js';
import { SaslSettings, TlsSettings } from './zookeeper-security.js';

/** What takes the place of a number that is 0 or missing, in milliseconds or attempts: Java's defaults. */
export const DEFAULTS = {
  baseSleepTimeMilliseconds: 1_000,
  maxSleepTimeMilliseconds: 3_000,
  maxRetries: 3,
  sessionTimeoutMilliseconds: 60_000,
  connectionTimeoutMilliseconds: 15_000,
} as const;

/** With a shorter session, a pause of the garbage collector ends it: the client is silent for up to a third of it. */
const SHORTEST_SESSION_MS = 1_000;
/** Less than one exchange with a server on another continent takes. */
const SHORTEST_CONNECTION_MS = 100;
/** Curator's limit: the delay doubles with each retry, and must fit into 32 bits. */
const MOST_RETRIES = 29;
/** The protocol sends the session timeout as a signed integer of 32 bits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Where a ZooKeeper is, and how to talk to it: the declared settings. Names and defaults are those of ElasticJob's manual. */
export class ZookeeperOptions {
  /** `host:2181,host2:2181`. */
  @Setting(text(serverListsProblem)) serverLists?: string;
  /** Node below which all jobs are kept. Required with `serverLists`. */
  @Setting(text(namespaceProblem)) namespace?: string;
  /** First delay between attempts, in milliseconds; 0 stands for the default, 1000. */
  @Setting({ kind: 'integer', problem: baseSleepProblem }) baseSleepTimeMilliseconds?: number;
  /** Longest delay between attempts, in milliseconds; 0 stands for the default, 3000. */
  @Setting({ kind: 'integer', problem: maxSleepProblem }) maxSleepTimeMilliseconds?: number;
  /** How often an operation is tried again, at most 29 times; 0 stands for the default, 3. */
  @Setting(integer({ least: 0, most: MOST_RETRIES })) maxRetries?: number;
  /** How long a session lives without a sign of life, in milliseconds, at least 1000; 0 stands for the default, 60000. */
  @Setting(integer({ least: SHORTEST_SESSION_MS, most: LONGEST_TIMEOUT_MS })) sessionTimeoutMilliseconds?: number;
  /** How long to try one server, in milliseconds, at least 100; 0 stands for the default, 15000. */
  @Setting(integer({ least: SHORTEST_CONNECTION_MS, most: LONGEST_TIMEOUT_MS })) connectionTimeoutMilliseconds?: number;
  /**
   * `user:password`. With it, nodes are created so that only holders of the same credentials can use them. Empty: none.
   * Default: none.
   */
  @Setting({ ...text(digestProblem), secrecy: 'hidden' }) digest?: string;
  /** TLS to all servers, with their secure client port. Default: connections are not encrypted. */
  @Setting({ kind: 'section', problem: () => undefined }) tls?: TlsSettings;
  /** Credentials for SASL DIGEST-MD5. Default: none. */
  @Setting({ kind: 'section', problem: () => undefined }) sasl?: SaslSettings;
}

/** The sections of `ZookeeperOptions`, and what declares their settings. */
export const SECURITY_SECTIONS = { tls: TlsSettings, sasl: SaslSettings } as const;

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function integer(bounds: Bounds): SettingDeclaration {
  return { kind: 'integer', problem: (value) => integerProblem(value, bounds) };
}

function integerProblem(value: unknown, { least, most }: Bounds): string | undefined {
  const alternative = least > 0 ? '0 (the default) or ' : '';
  if (!Number.isInteger(value) || (value !== 0 && (value as number) < least))
    return `must be ${alternative}an integer of at least ${least}`;
  return (value as number) > most ? `must be ${alternative}an integer of at most ${most}` : undefined;
}

function baseSleepProblem(value: unknown, owner: object): string | undefined {
  const problem = integerProblem(value, { least: 0, most: LONGEST_TIMEOUT_MS });
  const { maxSleepTimeMilliseconds: max } = owner as ZookeeperOptions;
  // If both are given, the greater one is the one that is wrong.
  if (problem !== undefined || !isDefault(max) || (value as number) <= DEFAULTS.maxSleepTimeMilliseconds)
    return problem;
  return `must be at most maxSleepTimeMilliseconds, whose default is ${DEFAULTS.maxSleepTimeMilliseconds}`;
}

function maxSleepProblem(value: unknown, owner: object): string | undefined {
  const problem = integerProblem(value, { least: 0, most: LONGEST_TIMEOUT_MS });
  const { baseSleepTimeMilliseconds: base } = owner as ZookeeperOptions;
  const least = isDefault(base) ? DEFAULTS.baseSleepTimeMilliseconds : base;
  if (problem !== undefined || value === 0 || typeof least !== 'number' || (value as number) >= least) return problem;
  const which = isDefault(base) ? 'whose default is' : 'which is';
  return `must be at least baseSleepTimeMilliseconds, ${which} ${least}`;
}

function isDefault(value: number | undefined): value is 0 | undefined {
  return value === undefined || value === 0;
}

function digestProblem(value: unknown): string | undefined {
  return typeof value === 'string' && /^([^:]+:.+)?$/s.test(value) ? undefined : 'must be of the form user:password';
}

/** A text by a rule. */
function text(problem: (value: unknown) => string | undefined): SettingDeclaration {
  return { kind: 'text', problem: (value) => (hasPlaceholder(value) ? NO_PLACEHOLDERS : problem(value)) };
}
