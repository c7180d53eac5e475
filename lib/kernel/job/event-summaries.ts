/** The words for events that many jobs of a process have at the same time. */
import { BY, type CommonEvent, ended, seconds, WHY_LATE, WITHOUT_STOPPING, type Words } from './job-events.js';

/** The words for the same event of several jobs of this process: those for which `groupOf` is the same. */
export function summaryOf(group: readonly EventOfJob[], me: string): Words {
  const jobs = [...new Set(group.map(({ jobName }) => jobName))];
  const { level, text } = summaryWords(group, listOf(jobs), me);
  const [first] = group;
  const { peer } = (first?.event ?? {}) as { readonly peer?: string };
  return { level, text, fields: { jobs, ...(peer !== undefined && { peer }) } };
}

/** An event, and whose it is. */
export interface EventOfJob {
  readonly jobName: string;
  readonly event: CommonEvent;
}

/** Events with the same text belong together. */
export function groupOf({ event }: EventOfJob): string {
  switch (event.type) {
    case 'joined':
    case 'left':
    case 'crashed':
    case 'gone':
      return `${event.type} ${event.peer}`;
    case 'stopped':
      return `${event.type} ${event.why}`;
    case 'server-disabled':
      return `${event.type} ${event.by}`;
    case 'settings-doubtful':
      return `${event.type} ${event.doubt}`;
    case 'registered':
    case 'leads':
    case 'assigned':
    case 'server-enabled':
    case 'fired-late':
      return event.type;
    default:
      return event satisfies never;
  }
}

function summaryWords(group: readonly EventOfJob[], jobs: string, me: string): Pick<Words, 'level' | 'text'> {
  const [{ event }] = group as readonly [EventOfJob];
  switch (event.type) {
    case 'registered':
      return {
        level: 'log',
        text: `Registered ${jobs} by instance ${me}; ${describeLeaders(group)}${describeItems(group)}.`,
      };
    case 'leads':
      return { level: 'log', text: `Instance ${me} leads ${jobs}.` };
    case 'assigned':
      return { level: 'log', text: `Assigned the items of ${jobs}: ${describeCounts(group)}.` };
    case 'joined':
      return { level: 'log', text: `Instance ${event.peer} has joined ${jobs}.` };
    case 'left':
      return { level: 'log', text: `Instance ${event.peer} has stopped ${jobs}.` };
    case 'gone':
      return { level: 'log', text: `Instance ${event.peer} (Java) is gone from ${jobs}: it has stopped or crashed.` };
    case 'crashed':
      return { level: 'warn', text: `Instance ${event.peer} is gone from ${jobs} ${WITHOUT_STOPPING}.` };
    case 'stopped':
      return { level: 'log', text: `Stopped ${jobs} on instance ${me}: ${event.why}.` };
    case 'server-disabled': {
      const text = `Server ${event.ip} is disabled ${BY[event.by]} for ${jobs}; this instance begins none of their items until an operator enables it.`;
      return { level: 'log', text };
    }
    case 'server-enabled':
      return {
        level: 'log',
        text: `Server ${event.ip} is enabled again for ${jobs}; this instance is given items again.`,
      };
    case 'settings-doubtful':
      return { level: 'warn', text: `Settings of ${jobs}: ${ended(event.doubt)}` };
    case 'fired-late':
      return { level: 'warn', text: `Firings of ${jobs} came up to ${seconds(latest(group))} late: ${WHY_LATE}.` };
    default:
      return event satisfies never;
  }
}

/** Names of jobs that a summary lists; of more it has the number. */
const MOST_NAMES = 5;

function listOf(jobs: readonly string[]): string {
  const names = jobs.slice(0, MOST_NAMES).map((name) => `'${name}'`);
  const others = jobs.length - names.length;
  return `${jobs.length} jobs (${names.join(', ')}${others === 0 ? '' : ` and ${others} others`})`;
}

/** `10.0.0.1@-@1 leads 60, 10.0.0.2@-@1 leads 40`. */
function describeLeaders(group: readonly EventOfJob[]): string {
  const counts = new Map<string, number>();
  for (const { event } of group) {
    const leader = (event.type === 'registered' ? event.leader : undefined) ?? 'no instance';
    counts.set(leader, (counts.get(leader) ?? 0) + 1);
  }
  return [...counts].map(([leader, count]) => `${leader} leads ${count}`).join(', ');
}

/** `; items: 120 to 10.0.0.1@-@1, 80 to 10.0.0.2@-@1`, or nothing if no item has an owner. */
function describeItems(group: readonly EventOfJob[]): string {
  const counts = describeCounts(group);
  return counts === '' ? '' : `; items: ${counts}`;
}

/** `120 to 10.0.0.1@-@1, 80 to 10.0.0.2@-@1`. */
function describeCounts(group: readonly EventOfJob[]): string {
  const counts = new Map<string, number>();
  // Of two assignments of a job, the later one holds.
  const owners = new Map(
    group.flatMap(({ jobName, event }) =>
      event.type === 'assigned' || event.type === 'registered' ? [[jobName, event.owners]] : [],
    ),
  );
  for (const each of owners.values())
    for (const owner of each.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts].map(([owner, count]) => `${count} to ${owner}`).join(', ');
}

function latest(group: readonly EventOfJob[]): number {
  return Math.max(...group.map(({ event }) => (event.type === 'fired-late' ? event.lateMs : 0)));
}
