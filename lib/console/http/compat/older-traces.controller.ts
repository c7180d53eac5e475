import { type JobExecutionEvent, type JobState } from '../../../api/events/trace-events.js';
import { type Table, type TableRequest } from '../../services/compat/trace-tables.js';
import { Costly } from '../costly-requests.js';
import { bodyOf, optional, readQuery, time } from '../requests.js';
import { type OlderCall } from './older-calls.js';
import { olderController, route, unwrappedRoute } from './older-routes.js';

const MOST_SUGGESTIONS = 50;
const LARGEST_PAGE = 200;

type Fields = Readonly<Record<string, unknown>>;

/** The trace in the form of the consoles of ElasticJob 2 and 3. */
export const OlderTracesController = olderController('OlderTracesController', 'api/event-trace', [
  route('read', 'POST execution', 'Executions, by the request of ElasticJob 3.', (call, body) => {
    return executions(call, bodyOf<Record<string, unknown>>(body));
  }),
  unwrappedRoute(
    'object',
    'read',
    'GET execution',
    'Executions, by the request of ElasticJob 2. Never wrapped.',
    async (call) => {
      const { total, rows } = await executions(call, fromOldest(call.query, 'startTimeFrom', 'startTimeTo'));
      return { total, rows: rows.map((row) => withWallClock(row, ['startTime', 'completeTime'])) };
    },
  ),
  route('read', 'POST status', 'Changes of state, by the request of ElasticJob 3.', (call, body) => {
    return statuses(call, bodyOf<Record<string, unknown>>(body));
  }),
  unwrappedRoute(
    'object',
    'read',
    'GET status',
    'Changes of state, by the request of ElasticJob 2. Never wrapped.',
    async (call) => {
      const { total, rows } = await statuses(call, fromOldest(call.query, 'creationTimeFrom', 'creationTimeTo'));
      return { total, rows: rows.map((row) => withWallClock(row, ['creationTime'])) };
    },
  ),
  route(
    'read',
    ['GET execution/jobNames', 'GET execution/jobNames/:prefix', 'GET status/jobNames', 'GET status/jobNames/:prefix'],
    'Names of jobs in the trace.',
    (call) => suggestions(call, 'job'),
  ),
  route('read', ['GET execution/ip', 'GET execution/ip/:prefix'], 'Addresses in the trace.', (call) =>
    suggestions(call, 'ip'),
  ),
]);
Costly()(OlderTracesController);

function suggestions(
  { services: { traces }, params: { prefix = '' } }: OlderCall,
  field: 'job' | 'ip',
): Promise<readonly string[]> {
  return traces.suggest(undefined, { field, prefix, limit: MOST_SUGGESTIONS });
}

function executions({ services: { tables } }: OlderCall, fields: Fields): Promise<Table<Fields>> {
  const [from, to] = [timeIn(fields, 'startTimeFrom'), timeIn(fields, 'startTimeTo')];
  const success = textIn(fields, 'isSuccess');
  const isWanted = (event: JobExecutionEvent): boolean =>
    (from === undefined || event.startTime.getTime() > from) && (success !== 'false' || !event.success);
  const filter = {
    ...{ jobName: textIn(fields, 'jobName'), ip: textIn(fields, 'ip'), ...range(from, to) },
    ...(success === 'true' && { outcome: 'succeeded' as const }),
  };
  return tables.executions(filter, isWanted, requestOf(fields));
}

function statuses({ services: { tables } }: OlderCall, fields: Fields): Promise<Table<Fields>> {
  const [from, to] = [timeIn(fields, 'creationTimeFrom'), timeIn(fields, 'creationTimeTo')];
  const state = textIn(fields, 'state') as JobState | undefined;
  const [source = 'LITE_EXECUTOR', type] = [textIn(fields, 'source'), textIn(fields, 'executionType')];
  return tables.statuses(
    { jobName: textIn(fields, 'jobName'), state, ...range(from, to) },
    ({ creationTime, executionType }) =>
      (from === undefined || creationTime.getTime() > from) &&
      source === 'LITE_EXECUTOR' &&
      (type ?? executionType) === executionType,
    requestOf(fields),
  );
}

/**
 * Reads the page and the order. If the page or its size is 0 or less, it is the first page of ten. An unknown order is
 * ascending.
 */
function requestOf(fields: Fields): TableRequest {
  const [size, page] = [Number(fields['pageSize'] ?? 10), Number(fields['pageNumber'] ?? 1)];
  const isUsable = Number.isInteger(size) && Number.isInteger(page) && size > 0 && page > 0;
  const sort = textIn(fields, 'sort');
  const isAscending = textIn(fields, 'order')?.toUpperCase() !== 'DESC';
  return { ...(isUsable ? { page, size: Math.min(size, LARGEST_PAGE) } : { page: 1, size: 10 }), sort, isAscending };
}

function range(from: number | undefined, to: number | undefined): { readonly from?: Date; readonly to?: Date } {
  return { ...(from !== undefined && { from: new Date(from) }), ...(to !== undefined && { to: new Date(to) }) };
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Reads a time; `2026-01-31 23:59:59` is in the time zone of this process. */
function timeIn(fields: Fields, name: string): number | undefined {
  const text = textIn(fields, name);
  const isWallClock = text !== undefined && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text);
  const given = isWallClock ? new Date(text.replace(' ', 'T')).getTime().toString() : text;
  return readQuery({ [name]: given }, { [name]: optional(time) })[name];
}

function fromOldest(query: Fields, fromName: string, toName: string): Fields {
  const { per_page: pageSize, page: pageNumber, startTime, endTime, ...others } = query;
  return { ...others, pageSize, pageNumber, [fromName]: startTime, [toName]: endTime };
}

function withWallClock(row: Fields, names: readonly string[]): Fields {
  const texts = names.map(
    (name) => [name, typeof row[name] === 'number' ? wallClock(new Date(row[name])) : row[name]] as const,
  );
  return { ...row, ...Object.fromEntries(texts) };
}

function wallClock(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
