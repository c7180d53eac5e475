import { Matches } from 'class-validator';
import { BooleanSetting, IntegerSetting, rule, Setting, TextSetting } from '../../api/settings/setting.js';
import { placeholderProblem } from '../../api/settings/placeholder.js';
import { isMap } from '../../api/text/describe-value.js';
import { wording } from '../../wording/wording.js';
import { urlProblem } from './connection/urls.js';

/** The values of settings that are missing, or of numbers that are 0. */
export const DEFAULTS = {
  schema: 'elasticjob',
  sessionTimeoutMilliseconds: 60_000,
  connectionTimeoutMilliseconds: 15_000,
  connections: 4,
} as const;

/** The greatest `integer` of the database. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const WITHOUT_PLACEHOLDERS = rule('placeholder', placeholderProblem);
const POSTGRESQL = /^postgres(?:ql)?:\/\/\S+$/;
/** A URL whose password has `/`, `?` or `#` would be read as another host, whose name is a part of the password. */
const WITHOUT_LATE_AT = /^(?!\w+:\/\/[^/?#]*[/?#].*@)/;
/** Names that PostgreSQL keeps whole: it cuts off what is beyond 63 bytes. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const NAMESPACE = /^(?!\.{1,2}(?:\/|$))[^/\0]+(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)*$/;

/** Settings that a registry centre on PostgreSQL has, and those of an application as well. */
export const DECLARED = {
  url: Setting(
    { kind: 'text', secrecy: 'hidden' },
    WITHOUT_PLACEHOLDERS,
    (context) =>
      Matches(POSTGRESQL, {
        ...context,
        message: 'must be a URL such as postgres://user@host:5432/database',
      }),
    (context) =>
      Matches(WITHOUT_LATE_AT, {
        ...context,
        message:
          'must have no @ after the first /, ? or # behind postgres://; in a password, write these as %2F, %3F and %23',
      }),
    rule('hosts', (url: unknown) => (POSTGRESQL.test(String(url)) ? urlProblem(String(url)) : undefined)),
  ),
  schema: TextSetting(
    {},
    (context) =>
      Matches(SCHEMA, {
        ...context,
        message: 'must be a name of lower-case letters, digits and _, such as elasticjob',
      }),
    rule('reserved', (name: unknown) =>
      String(name).startsWith('pg_') ? 'must not begin with pg_, which PostgreSQL keeps for itself' : undefined,
    ),
  ),
  connections: IntegerSetting({ min: 2, max: 100 }),
  notify: BooleanSetting(),
} as const;

/** The settings of the connection to a PostgreSQL, declared. */
export class PostgresqlOptions {
  @DECLARED.url url?: string;
  @Setting({ kind: 'text' }, WITHOUT_PLACEHOLDERS, (context) =>
    Matches(NAMESPACE, { ...context, message: 'must be one or several names, such as orders or shop/orders' }),
  )
  namespace?: string;
  @DECLARED.schema schema?: string;
  /** 0 stands for the default, 60000. */
  @IntegerSetting({ min: 1_000, max: LONGEST_TIMEOUT_MS, also: { value: 0, meaning: wording('the-default') } })
  sessionTimeoutMilliseconds?: number;
  /** 0 stands for the default, 15000. */
  @IntegerSetting({ min: 100, max: LONGEST_TIMEOUT_MS, also: { value: 0, meaning: wording('the-default') } })
  connectionTimeoutMilliseconds?: number;
  @DECLARED.connections connections?: number;
  @DECLARED.notify notify?: boolean;
  @Setting({ kind: 'code', secrecy: 'hidden' }, rule('ssl', sslProblem)) ssl?: boolean | object;
}

function sslProblem(value: unknown): string | undefined {
  return typeof value === 'boolean' || isMap(value) ? undefined : 'must be true, false, or TLS options of pg';
}
