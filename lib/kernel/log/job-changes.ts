import { type JobPaths } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { type JobEvent } from '../job/job-events.js';
import { settingDifferences } from '../job/setting-differences.js';

/** Two moments of a job, as an instance has seen them one after the other. */
export interface ViewChange {
  /** `undefined`: the instance has just begun to take part. */
  readonly before: JobView | undefined;
  readonly now: JobView;
  /** Id of this instance. */
  readonly me: string;
  /** Ip of its server. */
  readonly myIp: string;
  readonly paths: JobPaths;
  /** A path as operators' tools show it. */
  readonly fullPath: (path: string) => string;
}

/**
 * Interventions of operators in this instance and its job, and anomalies that keep it from working. Peers: see
 * `peerChanges`.
 */
export function jobChanges(change: ViewChange): readonly JobEvent[] {
  return [...servers(change), ...items(change), ...settings(change), ...anomalies(change)];
}

function servers({ before, now, myIp: ip }: ViewChange): readonly JobEvent[] {
  // A server that an operator has removed comes back as an enabled one.
  const former = before?.servers.get(ip) ?? 'ENABLED';
  const present = now.servers.get(ip) ?? 'ENABLED';
  if (former === present) return [];
  switch (present) {
    case 'ENABLED':
      return [{ type: 'server-enabled', ip }];
    case 'DISABLED':
      return [
        {
          type: 'server-disabled',
          ip,
          by: before === undefined && now.config?.disabled === true ? 'settings' : 'operator',
        },
      ];
    case 'UNKNOWN':
      // An obstacle, which is logged as such.
      return [];
    default:
      return present satisfies never;
  }
}

/**
 * Only items that this instance owned before and owns now: an item that is reassigned has not been enabled or disabled.
 */
function items({ before, now, me }: ViewChange): readonly JobEvent[] {
  const former = new Map(before?.items.map((item) => [item.item, item]));
  const changed = now.items.filter(({ item, owner, disabled }) => {
    const earlier = former.get(item);
    return owner === me && earlier?.owner === me && earlier.disabled !== disabled;
  });
  return [true, false].flatMap((isDisabled): readonly JobEvent[] => {
    const numbers = changed.filter(({ disabled }) => disabled === isDisabled).map(({ item }) => item);
    return numbers.length === 0 ? [] : [{ type: isDisabled ? 'items-disabled' : 'items-enabled', items: numbers }];
  });
}

function settings({ before, now }: ViewChange): readonly JobEvent[] {
  if (before?.config === undefined || now.config === undefined || before.config === now.config) return [];
  const differences = settingDifferences(before.config, now.config);
  return differences.length === 0 ? [] : [{ type: 'settings-changed', differences }];
}

/** Leftovers of copies and edits of the job's nodes in the registry centre, which no instance uses. */
function anomalies({ before, now, paths, fullPath }: ViewChange): readonly JobEvent[] {
  const { jobName } = now.config ?? paths;
  const isNew = jobName !== paths.jobName && before?.config?.jobName !== jobName;
  const known = new Set(before?.strayItems);
  const stray = now.strayItems.filter((name) => !known.has(name));
  return [
    ...(isNew ? [{ type: 'foreign-settings', path: fullPath(paths.config), jobName } as const] : []),
    ...stray.map((name) => ({ type: 'stray-item', path: `${fullPath(paths.sharding)}/${name}` }) as const),
  ];
}
