import { describeItems } from '../../kernel/view/items.js';
import { type CodeValues, type ReasonCode } from './codes.js';
import { type Cause, type OnRecord } from './explanation.js';

/** The code of the sentence about a cause. `isPast`: the sentence is about the instant that was asked about. */
export function reasonCode(cause: Cause, isPast: boolean): ReasonCode {
  switch (cause.type) {
    case 'unknown-job':
      return cause.record === undefined ? 'unknown-job' : 'unknown-job.removed';
    case 'no-instance':
      return cause.stopped.length === 0 ? 'no-instance' : 'no-instance.stopped';
    case 'unknown-leader':
      return cause.isPersistent ? 'unknown-leader.persistent' : 'unknown-leader';
    case 'being-assigned':
      return cause.waitsFor.length === 0 ? 'being-assigned' : 'being-assigned.waits';
    case 'instance-fault':
      return `instance-fault.${cause.state}`;
    case 'left-out':
      return isPast ? 'left-out.then' : 'left-out';
    case 'still-running':
      return `still-running.${cause.missed}`;
    case 'run-lost':
      return cause.failover ? 'run-lost.failover' : 'run-lost';
    case 'owner-gone':
      return `owner-gone.${cause.how}`;
    case 'owner-disabled':
      return `owner-disabled.${cause.status}`;
    case 'free':
      return cause.next === undefined ? 'free' : 'free.next';
    case 'ran':
      return `ran.${cause.outcome}`;
    case 'begun':
      return `begun.${cause.state}`;
    case 'begun-and-lost':
      return cause.failover ? 'begun-and-lost.failover' : 'begun-and-lost';
    case 'later-begun':
      return cause.instant === undefined ? 'later-begun.manual' : 'later-begun';
    case 'not-recorded':
      return `not-recorded.${cause.why}`;
    default:
      return cause.type;
  }
}

/** The most names of a list that a sentence contains. */
const MOST_NAMED = 5;

/**
 * The values of a cause, for its sentence and for programs: texts, numbers and instants. The operator who caused it is
 * `by`, with `byAt` and `byWhy`.
 */
export function reasonValues(cause: Cause): CodeValues {
  const values: Record<string, CodeValues[string]> = {};
  const put = (key: string, value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number') values[key] = value;
    else if (value instanceof Date) values[key] = { instant: value.getTime() };
  };
  for (const [key, value] of Object.entries(cause)) if (key !== 'type') put(key, value);
  if (cause.type === 'being-assigned') put('waitsFor', describeItems(cause.waitsFor));
  if (cause.type === 'no-instance') put('stopped', listed(cause.stopped));
  if (cause.type === 'runs-after') put('upstreams', listed(cause.upstreams));
  if (cause.type === 'instance-fault' && cause.alsoOn.length > 0) put('alsoOn', listed(cause.alsoOn));
  if (cause.type === 'servers-disabled') put('servers', listed(cause.servers.map(({ serverIp }) => serverIp)));
  if (cause.type === 'owner-disabled') put('serverIp', cause.server.serverIp);
  const record = recordOf(cause);
  put('by', record?.operator);
  put('byAt', record?.at);
  put('byWhy', record?.reason);
  return values;
}

function recordOf(cause: Cause): OnRecord | undefined {
  if (cause.type === 'owner-disabled') return cause.server.record;
  // If there are several servers, each has its own record.
  if (cause.type === 'servers-disabled') return cause.servers.length === 1 ? cause.servers[0]?.record : undefined;
  return 'record' in cause ? cause.record : undefined;
}

const listed = (names: readonly string[]): string =>
  `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? `, … (${names.length})` : ''}`;
