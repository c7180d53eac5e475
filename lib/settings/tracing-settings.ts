import { describeValue } from '../api/text/describe-value.js';
import {
  type Constraint,
  IntegerSetting,
  rule,
  Setting,
  TextListSetting,
  TextSetting,
} from '../api/settings/setting.js';

/** `elasticjob.tracing`: the recording of runs in a database. */
export class TracingSettings {
  /**
   * `RDB`: runs are recorded in ElasticJob's two tables, in the database of a TypeORM `DataSource`. Default: they are
   * not recorded.
   */
  @TextSetting({ requirement: 'must be RDB' }, rule('type', typeProblem)) type?: string;
  /**
   * The `DataSource`: in code, an object, or the name or injection token of a provider; in a file, its name. Default:
   * the application's default one, or the only one.
   */
  @DataSourceSetting() dataSource?: unknown;
  /**
   * Only these jobs are recorded, and known to `@TracingListener()` providers. Excludes `excludeJobNames`. Default:
   * all.
   */
  @TextListSetting() includeJobNames?: readonly string[];
  /** These jobs are left out. Default: none. */
  @TextListSetting(rule('exclusive', exclusionProblem)) excludeJobNames?: readonly string[];
  /** Rows are deleted from the tables after this number of days. Default: never. */
  @IntegerSetting({ min: 1, max: 36_500 }) retentionDays?: number;
  /**
   * The most events that may wait for the database, in this process; further events are dropped, counted and logged.
   * Default: 100,000.
   */
  @IntegerSetting({ min: 1_000, max: 10_000_000 }) maxPendingEvents?: number;
}

function typeProblem(value: string): string | undefined {
  return value === '' || value.toUpperCase() === 'RDB'
    ? undefined
    : 'must be RDB, which records runs in a database by TypeORM';
}

/** A setting whose value is a TypeORM `DataSource`, its name or its injection token. */
export function DataSourceSetting(): PropertyDecorator {
  const isUsable: Constraint = rule('dataSource', dataSourceProblem);
  return Setting({ kind: 'text', secrecy: 'hidden' }, isUsable);
}

/** @returns the problem with a `DataSource`, its name or its injection token, or undefined */
export function dataSourceProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? 'must name a DataSource of the application' : undefined;
  if (typeof value === 'symbol' || typeof value === 'function' || isDataSource(value)) return undefined;
  return (
    'must be the name of a TypeORM DataSource that is a provider of the application. Settings of a connection, such as ' +
    "Java's data-source.url, belong to that DataSource"
  );
}

function exclusionProblem(excluded: readonly string[], { includeJobNames = [] }: TracingSettings): string | undefined {
  if (excluded.length === 0 || includeJobNames.length === 0) return undefined;
  return `and includeJobNames exclude each other, but includeJobNames is ${describeValue(includeJobNames)}; give only one of them`;
}

/** True if the value is a TypeORM `DataSource`, of any copy of TypeORM. */
export function isDataSource(value: unknown): value is object {
  const candidate = (value ?? {}) as Readonly<Record<string, unknown>>;
  // In this order: a getter of another provider must not be called.
  if (typeof candidate['createQueryRunner'] !== 'function' || typeof candidate['destroy'] !== 'function') return false;
  const { type } = (candidate['options'] ?? {}) as { readonly type?: unknown };
  return typeof type === 'string';
}
