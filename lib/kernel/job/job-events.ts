/**
 * The events of a job that its log reports, and their words. Only decisions, without a clock and without a logger: see
 * `JobLog`.
 */
import { type LogFields, type LogLevel } from '../../api/text/logger.js';
import { type JobView } from '../../layout/job-view.js';
import { describeInstants, type Instants } from '../view/firing.js';
import { describeItems } from '../view/items.js';
import { describeChanges, describeIgnored, type SettingDifference } from './setting-differences.js';

/** An event of a job, for its log. */
export type JobEvent =
  /** This instance takes part, as the registry centre has the job when the entry is written. */
  | {
      readonly type: 'registered';
      readonly leader: string | undefined;
      readonly owners: Owners;
      /** True if the job has no schedule here. */
      readonly isOneOff: boolean;
    }
  /** This instance was elected. */
  | { readonly type: 'leads' }
  /** This instance, as the leader, has assigned the items. */
  | { readonly type: 'assigned'; readonly owners: Owners }
  /**
   * `joined`: a peer takes part. `left`: it has stopped. `crashed`: it is gone without having stopped. `gone`: a Java
   * peer is gone, and no instance can know whether it has stopped or crashed.
   */
  | { readonly type: 'joined' | 'left' | 'crashed' | 'gone'; readonly peer: string }
  /** This instance takes part no more. */
  | { readonly type: 'stopped'; readonly why: string }
  /** `by`: an operator, or `disabled: true` in the settings, which counts at each start. */
  | { readonly type: 'server-disabled'; readonly ip: string; readonly by: 'operator' | 'settings' }
  | { readonly type: 'server-enabled'; readonly ip: string }
  /** This instance was given settings that are allowed but probably not intended. */
  | { readonly type: 'settings-doubtful'; readonly doubt: string }
  | {
      readonly type: 'fired-late';
      readonly lateMs: number;
      readonly scheduledAt: Date;
      readonly suppressedCount: number;
    }
  /** `path`: the node that has the settings; `jobName`: the job that they name. */
  | { readonly type: 'foreign-settings'; readonly path: string; readonly jobName: string }
  /** `path`: a node beside the items that is no item. */
  | { readonly type: 'stray-item'; readonly path: string }
  | { readonly type: 'items-disabled' | 'items-enabled'; readonly items: readonly number[] }
  /** The cron expression has steps that begin again before they are over. `steps`: a clause about each. */
  | { readonly type: 'uneven-steps'; readonly steps: readonly string[]; readonly next: readonly Date[] }
  /** No run makes up for firings of items that this instance has received from a peer that is gone. */
  | { readonly type: 'firings-lost'; readonly peer: string; readonly lost: readonly LostFiringsOfItems[] }
  | { readonly type: 'settings-changed'; readonly differences: readonly SettingDifference[] }
  | { readonly type: 'settings-ignored' | 'settings-overwritten'; readonly differences: readonly SettingDifference[] };

/** Items, and the firings that all of them have lost. */
export interface LostFiringsOfItems {
  readonly items: readonly number[];
  readonly firings: Instants;
}

/** Ids of the owners by item. */
export type Owners = ReadonlyMap<number, string>;

/**
 * The event of an instance that has just registered. It may wait for the first election and assignment, and names both
 * then.
 */
export function registeredEvent(
  watch: { readonly view: JobView },
  { isOneOff }: { readonly isOneOff: boolean },
): JobEvent {
  return {
    type: 'registered',
    isOneOff,
    get leader() {
      return watch.view.leader;
    },
    get owners() {
      return new Map(watch.view.items.flatMap(({ item, owner }) => (owner === undefined ? [] : [[item, owner]])));
    },
  };
}

/** An entry in the making. */
export interface Words {
  readonly level: LogLevel;
  /** Without the job's name in front: `instance … leads.` */
  readonly text: string;
  readonly fields: LogFields;
}

/** The words for an event. `me`: id of this instance. */
export function wordsOf(event: JobEvent, me: string): Words {
  switch (event.type) {
    case 'registered': {
      const { leader, owners, isOneOff } = event;
      const led = leader === undefined ? 'no instance leads yet' : `${leader} leads`;
      const items = owners.size === 0 ? 'no items are assigned yet' : `items ${describeOwners(owners, ' → ')}`;
      const kind = isOneOff ? ' as a one-off job, which runs when it is triggered' : '';
      return entry('log', `registered by instance ${me}${kind}; ${led}, ${items}.`, leader);
    }
    case 'leads':
      return entry('log', `instance ${me} leads.`);
    case 'assigned':
      return entry('log', `assigned items ${describeOwners(event.owners, ' → ')}.`);
    case 'joined':
      return entry('log', `instance ${event.peer} has joined.`, event.peer);
    case 'left':
      return entry('log', `instance ${event.peer} has stopped.`, event.peer);
    case 'gone':
      return entry('log', `instance ${event.peer} (Java) is gone: it has stopped or crashed.`, event.peer);
    case 'crashed':
      return entry('warn', `instance ${event.peer} is gone ${WITHOUT_STOPPING}.`, event.peer);
    case 'stopped':
      return entry('log', `stopped on instance ${me}: ${event.why}.`);
    case 'server-disabled':
      return entry(
        'log',
        `server ${event.ip} is disabled ${BY[event.by]}; this instance begins no item until an operator enables it.`,
      );
    case 'server-enabled':
      return entry('log', `server ${event.ip} is enabled again; this instance is given items again.`);
    case 'settings-doubtful':
      return entry('warn', ended(event.doubt));
    case 'fired-late': {
      const { lateMs, scheduledAt, suppressedCount } = event;
      const more =
        suppressedCount === 0
          ? ''
          : ` So did ${suppressedCount} other ${suppressedCount === 1 ? 'firing' : 'firings'} within the last minute.`;
      const text = `the firing at ${scheduledAt.toISOString()} came ${seconds(lateMs)} late: ${WHY_LATE}.${more}`;
      return { level: 'warn', text, fields: { lateMs, scheduledAt } };
    }
    case 'foreign-settings':
      return entry(
        'warn',
        `${event.path} has the settings of a job '${event.jobName}'. This job runs by them, but its listeners, sharding strategy ` +
          'and error handler are given that name. Write the name of this job there.',
      );
    case 'stray-item':
      return entry(
        'warn',
        `${event.path} is no item: items are named 0, 1, 2 and so on. No instance uses it, and consoles may fail to show the job. Delete it.`,
      );
    case 'items-disabled': {
      const { items } = event;
      const text = `an operator has disabled items ${describeItems(items)}, which this instance owns; firings leave them out.`;
      return { level: 'log', text, fields: { items } };
    }
    case 'items-enabled': {
      const { items } = event;
      return { level: 'log', text: `an operator has enabled items ${describeItems(items)} again.`, fields: { items } };
    }
    case 'uneven-steps': {
      const instants = event.next.map((instant) => instant.toISOString()).join(', ');
      return entry('log', `${event.steps.join(', and ')}, in the cron expression; the next firings are ${instants}.`);
    }
    case 'firings-lost': {
      const { peer, lost } = event;
      const text =
        `no instance ran ${describeLost(lost)}, and no run makes up for that. Their owner ${peer} is gone ${WITHOUT_STOPPING}. ` +
        'Peers notice such an end sooner if sessionTimeoutMilliseconds is lower.';
      return { level: 'warn', text, fields: { peer, items: lost.flatMap(({ items }) => items) } };
    }
    case 'settings-changed':
      return entry(
        'log',
        `its settings were changed: ${describeChanges(event.differences)}.` +
          (event.differences.some(({ key }) => key === 'disabled')
            ? ' An instance goes by disabled when it starts.'
            : ''),
      );
    case 'settings-overwritten':
      return entry(
        'log',
        `its stored settings are replaced, because overwrite is true: ${describeChanges(event.differences)}.`,
      );
    case 'settings-ignored':
      return entry('warn', describeIgnored(event.differences));
    default:
      return event satisfies never;
  }
}

/** A clause with its full stop, unless it ends in a question. */
function ended(clause: string): string {
  return clause.endsWith('?') ? clause : `${clause}.`;
}

/** Parts of sentences. */
const WITHOUT_STOPPING = 'without having stopped: its process has died, or its session has ended';
const WHY_LATE = 'the event loop was blocked, the process was suspended, or the clock was set';
const BY = { operator: 'by an operator', settings: 'by its settings (disabled: true)' } as const;

/** `0-2 → 10.0.0.1@-@1, 3-4 → 10.0.0.2@-@1`. */
export function describeOwners(owners: Owners, arrow: string): string {
  const itemsById = new Map<string, number[]>();
  for (const [item, id] of owners) {
    const items = itemsById.get(id);
    if (items === undefined) itemsById.set(id, [item]);
    else items.push(item);
  }
  return [...itemsById].map(([id, items]) => `${describeItems(items)}${arrow}${id}`).join(', ');
}

/** Entries name this number of groups of items that have lost other firings than the rest. */
const MOST_GROUPS = 3;

/**
 * `items 0-2 at the 5 firings from … to …, items 3 at the firing of …, and 7 other items at firings since their last
 * runs`.
 */
function describeLost(lost: readonly LostFiringsOfItems[]): string {
  const groups = [...lost].sort((one, other) => other.items.length - one.items.length);
  const others = groups.slice(MOST_GROUPS).reduce((sum, { items }) => sum + items.length, 0);
  const described = groups
    .slice(0, MOST_GROUPS)
    .map(({ items, firings }) => `items ${describeItems(items)} at ${describeInstants(firings)}`);
  return [...described, ...(others === 0 ? [] : [`${others} other items at firings since their last runs`])].join(', ');
}

/** `1500` → `1.5 s`. */
function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function entry(level: LogLevel, text: string, peer?: string): Words {
  return { level, text, fields: peer === undefined ? {} : { peer } };
}
