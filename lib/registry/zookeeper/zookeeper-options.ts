import { Matches } from 'class-validator';
import { wording } from '../../wording/wording.js';
import { placeholderProblem } from '../../api/settings/placeholder.js';
import { type Constraint, IntegerSetting, rule, SectionSetting, Setting } from '../../api/settings/setting.js';
import { namespaceProblem } from './namespace.js';
import { serverListsProblem } from './server-lists.js';
import { SaslSettings, TlsSettings } from './zookeeper-security.js';

/** Values for numbers that are 0 or missing, in milliseconds or attempts: Java's defaults. */
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

const WITHOUT_PLACEHOLDERS = rule('placeholder', placeholderProblem);

/**
 * Addresses and credentials of a ZooKeeper, and the limits of waiting for it: the declared settings. Names and defaults
 * are those of ElasticJob's manual.
 */
export class ZookeeperOptions {
  /** `host:2181,host2:2181`. */
  @Setting({ kind: 'text' }, WITHOUT_PLACEHOLDERS, rule('servers', serverListsProblem)) serverLists?: string;
  /** Node below which all jobs are kept. Required with `serverLists`. */
  @Setting({ kind: 'text' }, WITHOUT_PLACEHOLDERS, rule('namespace', namespaceProblem)) namespace?: string;
  /** First delay between attempts, in milliseconds; 0 stands for the default, 1000. */
  @NumberSetting(0, LONGEST_TIMEOUT_MS, rule('sleep', baseSleepProblem)) baseSleepTimeMilliseconds?: number;
  /** Longest delay between attempts, in milliseconds; 0 stands for the default, 3000. */
  @NumberSetting(0, LONGEST_TIMEOUT_MS, rule('sleep', maxSleepProblem)) maxSleepTimeMilliseconds?: number;
  /** How often an operation is tried again, at most 29 times; 0 stands for the default, 3. */
  @NumberSetting(0, MOST_RETRIES) maxRetries?: number;
  /**
   * How long a session lives without a sign of life, in milliseconds, at least 1000; 0 stands for the default, 60000.
   */
  @NumberSetting(SHORTEST_SESSION_MS, LONGEST_TIMEOUT_MS) sessionTimeoutMilliseconds?: number;
  /** How long to try one server, in milliseconds, at least 100; 0 stands for the default, 15000. */
  @NumberSetting(SHORTEST_CONNECTION_MS, LONGEST_TIMEOUT_MS) connectionTimeoutMilliseconds?: number;
  /**
   * `user:password`. With it, nodes are created so that only holders of the same credentials can use them. Empty: none.
   * Default: none.
   */
  @Setting({ kind: 'text', secrecy: 'hidden' }, WITHOUT_PLACEHOLDERS, (context) =>
    Matches(/^([^:]+:.+)?$/s, { ...context, message: 'must be of the form user:password' }),
  )
  digest?: string;
  /** TLS to all servers, with their secure client port. Default: connections are not encrypted. */
  @SectionSetting() tls?: TlsSettings;
  /** Credentials for SASL DIGEST-MD5. Default: none. */
  @SectionSetting() sasl?: SaslSettings;
}

/** The sections of `ZookeeperOptions`, with the classes that declare their settings. */
export const SECURITY_SECTIONS = { tls: TlsSettings, sasl: SaslSettings } as const;

/** An integer for which 0 stands for the default. */
function NumberSetting(min: number, max: number, ...constraints: readonly Constraint[]): PropertyDecorator {
  const also = min > 0 ? { also: { value: 0, meaning: wording('the-default') } } : {};
  return IntegerSetting({ min, max, ...also }, ...constraints);
}

function baseSleepProblem(base: number, { maxSleepTimeMilliseconds: max }: ZookeeperOptions): string | undefined {
  // If both are given, the greater one is the one that is wrong.
  if (!isDefault(max) || base <= DEFAULTS.maxSleepTimeMilliseconds) return undefined;
  return `must be at most maxSleepTimeMilliseconds, whose default is ${DEFAULTS.maxSleepTimeMilliseconds}`;
}

function maxSleepProblem(max: number, { baseSleepTimeMilliseconds: base }: ZookeeperOptions): string | undefined {
  const least = isDefault(base) ? DEFAULTS.baseSleepTimeMilliseconds : base;
  if (max === 0 || typeof least !== 'number' || max >= least) return undefined;
  const which = isDefault(base) ? 'whose default is' : 'which is';
  return `must be at least baseSleepTimeMilliseconds, ${which} ${least}`;
}

function isDefault(value: number | undefined): value is 0 | undefined {
  return value === undefined || value === 0;
}
