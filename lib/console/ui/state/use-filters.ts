import { reactive } from 'vue';
import { type Query } from '../api/client.js';
import { type Pages, usePages } from './use-pages.js';
import { useQuery } from './use-query.js';
import { type Range, useRange } from './use-range.js';

/** A long list with filters that are part of the address. */
export interface FilteredList<Row, Name extends string> {
  /** An empty text is no filter. */
  readonly filters: Record<Name, string>;
  readonly range: Range;
  readonly pages: Pages<Row>;
  /** The parameters of the request, for a download of the same rows. */
  readonly query: () => Query;
}

/**
 * @param names of the filters
 * @param renamed the names of some filters at the server
 */
export function useFilters<Row, Name extends string>(
  path: string,
  names: readonly Name[],
  renamed: Partial<Record<Name, string>> = {},
): FilteredList<Row, Name> {
  const queries: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, useQuery(name)]));
  const filters = reactive(queries) as Record<Name, string>;
  const range = useRange();
  const query = (): Query => ({
    ...Object.fromEntries(names.map((name) => [renamed[name] ?? name, filters[name]])),
    ...range.asked(),
  });
  const pages = usePages<Row>(path, () => ({ ...query(), limit: 100 }));
  return { filters, range, pages, query };
}
