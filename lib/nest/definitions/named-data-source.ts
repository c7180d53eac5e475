import { describeValue } from '../../api/text/describe-value.js';
import { suggestion } from '../../api/text/nearest.js';
import { isDataSource } from '../../settings/tracing-settings.js';
import { type FoundDataSource } from '../elastic-job.explorer.js';

/**
 * The application's TypeORM `DataSource` that a setting means: the object itself, or the one of that name or token.
 * @param path the key path of the setting
 * @returns the `DataSource`, or the problem, a complete line
 */
export function dataSourceNamed(
  path: string,
  wanted: unknown,
  dataSources: readonly FoundDataSource[],
): object | string {
  if (isDataSource(wanted)) return wanted;
  const found = dataSources.find(({ tokens, names }) => tokens.includes(wanted) || names.includes(wanted as string));
  if (found !== undefined) return found.dataSource;
  const names = dataSources.flatMap((each) => each.names);
  const hint = typeof wanted === 'string' ? suggestion(wanted, names) : '';
  const present = dataSources.length === 0 ? 'it has none' : `it has: ${dataSourceNames(dataSources)}`;
  return `${path}: the application has no TypeORM DataSource ${describeValue(wanted)}; ${present}${hint}`;
}

/** The name of a `DataSource` in messages, health and metrics; one that is no provider with a name is `unnamed`. */
export function nameOfDataSource(dataSource: object, dataSources: readonly FoundDataSource[]): string {
  const { names = [], tokens = [] } = dataSources.find((each) => each.dataSource === dataSource) ?? {};
  const [token] = tokens;
  const named =
    typeof token === 'symbol' ? token.description : (token as { readonly name?: unknown } | undefined)?.name;
  return names[0] ?? (typeof named === 'string' && named !== '' ? named : 'unnamed');
}

/** The names of DataSources, for messages. */
export function dataSourceNames(dataSources: readonly FoundDataSource[]): string {
  return dataSources.map(({ names: [name = 'one without a name'] }) => name).join(', ');
}
