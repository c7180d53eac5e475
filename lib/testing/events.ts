import { type Run } from './runs.js';

/** Something that happened in a test's cluster. Instances have the names that the test gave them. */
export type ClusterEvent = ClusterHappening & {
  /** When it happened: milliseconds since the cluster's start. */
  readonly atMs: number;
};

/** What happened, apart from when. */
export type ClusterHappening =
  /** An instance has registered, or withdrawn, or its session has ended in the registry. */
  | { readonly type: 'joined' | 'left' | 'session-ended'; readonly instance: string }
  /** The test has killed it, or it has died at a write as the test wanted. */
  | { readonly type: 'killed'; readonly instance: string }
  /** It hears nothing of the registry; it has given up its session; it is connected again, to its session or another one. */
  | { readonly type: 'suspended' | 'session-lost' | 'connected'; readonly instance: string }
  | { readonly type: 'leads'; readonly instance: string }
  /** Items by name of the owner, as they are from now on. */
  | { readonly type: 'assigned'; readonly owners: Readonly<Record<string, readonly number[]>> }
  /** An instance is asked to run its items now. */
  | { readonly type: 'triggered'; readonly instance: string }
  /** An instance has begun to run an item, or the run has come to an end; `run` has it all. */
  | { readonly type: 'run-started' | 'run-ended'; readonly instance: string; readonly item: number; readonly run: Run }
  /** Somebody has noticed that the item's run died with its instance, and that another one must run it. */
  | { readonly type: 'crash-reported'; readonly item: number }
  /** An instance has taken such an item over. */
  | { readonly type: 'taken-over'; readonly item: number; readonly instance: string }
  /** The item's firing came while it ran, so that it is made up for. */
  | { readonly type: 'misfired'; readonly item: number }
  | { readonly type: 'item-disabled' | 'item-enabled'; readonly item: number }
  | { readonly type: 'server-disabled' | 'server-enabled'; readonly ip: string }
  | { readonly type: 'reconfigured' };

/** The event in words, after the time since the cluster's start: `00:00:12.500 C took over item 0`. */
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
