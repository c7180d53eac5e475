import { type Run } from './runs.js';

/** An event in a test's cluster. Instances have the names that the test gave them. */
export type ClusterEvent = ClusterHappening & {
  /** The time of the event: milliseconds since the cluster's start. */
  readonly atMs: number;
};

/** An event without its time. */
export type ClusterHappening =
  /** An instance has registered itself, or has withdrawn, or the registry has ended its session. */
  | { readonly type: 'joined' | 'left' | 'session-ended'; readonly instance: string }
  /** The test has killed the instance, or has let it die at a write. */
  | { readonly type: 'killed'; readonly instance: string }
  /**
   * An instance has no answer from the registry; has given up its session; is connected again, with its session or a
   * new one.
   */
  | { readonly type: 'suspended' | 'session-lost' | 'connected'; readonly instance: string }
  /** An instance has become the leader. */
  | { readonly type: 'leads'; readonly instance: string }
  /** The leader has assigned the items. `owners` has the items by the name of their owner. */
  | { readonly type: 'assigned'; readonly owners: Readonly<Record<string, readonly number[]>> }
  /** An operator has triggered an instance: it must run its items now. */
  | { readonly type: 'triggered'; readonly instance: string }
  /** An instance has begun or ended the run of an item. `run` has all that is known about it. */
  | { readonly type: 'run-started' | 'run-ended'; readonly instance: string; readonly item: number; readonly run: Run }
  /** An instance has reported that the run of an item died with its instance. Another instance must run the item. */
  | { readonly type: 'crash-reported'; readonly item: number }
  /** An instance has taken over an item that was reported. */
  | { readonly type: 'taken-over'; readonly item: number; readonly instance: string }
  /** A firing came while the item was still running. The item must run again for it. */
  | { readonly type: 'misfired'; readonly item: number }
  | { readonly type: 'item-disabled' | 'item-enabled'; readonly item: number }
  | { readonly type: 'server-disabled' | 'server-enabled'; readonly ip: string }
  | { readonly type: 'reconfigured' };

/** The event in words, behind the time since the cluster's start: `00:00:12.500 C took over item 0`. */
export function tellEvent(event: ClusterEvent): string {
  return `${new Date(event.atMs).toISOString().slice(11, 23)} ${words(event)}`;
}

function words(event: ClusterHappening): string {
  switch (event.type) {
    case 'joined':
    case 'left':
    case 'leads':
      return `${event.instance} ${event.type}`;
    case 'killed':
    case 'suspended':
    case 'connected':
      return `${event.instance} is ${event.type}`;
    case 'session-ended':
      return `${event.instance} is gone, its session has ended`;
    case 'session-lost':
      return `${event.instance} has lost its session`;
    case 'assigned':
      return `items are assigned: ${Object.entries(event.owners)
        .map(([name, items]) => `${items.join(',')} to ${name}`)
        .join(', ')}`;
    case 'triggered':
      return `${event.instance} is triggered`;
    case 'run-started':
      return `${event.instance} runs item ${event.item} (${event.run.at})`;
    case 'run-ended':
      return `${event.instance} ends item ${event.item} (${event.run.at}): ${event.run.outcome}`;
    case 'crash-reported':
      return `item ${event.item} is reported as crashed`;
    case 'taken-over':
      return `${event.instance} took over item ${event.item}`;
    case 'misfired':
      return `item ${event.item} misfired`;
    case 'item-disabled':
    case 'item-enabled':
      return `item ${event.item} is ${event.type.slice('item-'.length)}`;
    case 'server-disabled':
    case 'server-enabled':
      return `server ${event.ip} is ${event.type.slice('server-'.length)}`;
    case 'reconfigured':
      return 'the configuration has changed';
    default:
      return event satisfies never;
  }
}
