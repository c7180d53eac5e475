import { Matches } from 'class-validator';
import { BooleanSetting, IntegerSetting, rule, Setting, TextSetting } from '../../api/settings/setting.js';
import { placeholderProblem } from '../../api/settings/placeholder.js';
import { wording } from '../../wording/wording.js';

/** The values of settings that are missing, or of numbers that are 0. */
export const DEFAULTS = {
  schema: 'elasticjob',
  sessionTimeoutMilliseconds: 60_000,
  connectionTimeoutMilliseconds: 15_000,
  connections: 4,
} as const;

const WITHOUT_PLACEHOLDERS = rule('placeholder', placeholderProblem);
/** Names that PostgreSQL keeps whole: it cuts off what is beyond 63 bytes. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const NAMESPACE = /^(?!\.{1,2}(?:\/|$))[^/\0]+(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)*$/;

/** Where a PostgreSQL is, and how to talk to it: the declared settings. */
export class PostgresqlOptions {
  /** `postgres://user:password@host:5432/database`. */
  @Setting({ kind: 'text', secrecy: 'hidden' }, WITHOUT_PLACEHOLDERS, (context) =>
    Matches(/^postgres(?:ql)?:\/\/\S+$/, {
      ...context,
      message: 'must be a URL such as postgres://user@host:5432/database',
    }),
  )
  url?: string;
  /** Node below which all jobs are kept. */
  @Setting({ kind: 'text' }, WITHOUT_PLACEHOLDERS, (context) =>
    Matches(NAMESPACE, { ...context, message: 'must be one or several names, such as orders or shop/orders' }),
  )
  namespace?: string;
  /** Schema of the database that has the tables. Default: elasticjob. */
  @TextSetting({}, (context) =>
    Matches(SCHEMA, { ...context, message: 'must be a name of lower-case letters, digits and _, such as elasticjob' }),
  )
  schema?: string;
  /** How long a session lives without a sign of life, in milliseconds, at least 1000; 0: the default, 60000. */
  @IntegerSetting({ min: 1_000, max: 2 ** 31 - 1, also: { value: 0, meaning: wording('the-default') } })
  sessionTimeoutMilliseconds?: number;
  /** How long connecting, and one statement, may take, in milliseconds, at least 100; 0: the default, 15000. */
  @IntegerSetting({ min: 100, max: 2 ** 31 - 1, also: { value: 0, meaning: wording('the-default') } })
  connectionTimeoutMilliseconds?: number;
  /** Most connections of this process, one of them for heartbeats. Default: 4. */
  @IntegerSetting({ min: 2, max: 100 }) connections?: number;
  /**
   * If true, changes are notified by LISTEN and NOTIFY. Behind a pooler that gives a connection for each transaction,
   * such as PgBouncer's, it must be false: changes are then polled twice a second. Default: true.
   */
  @BooleanSetting() notify?: boolean;
}
