import { type JobView } from '../../layout/job-view.js';
import { type JobEvent } from './job-events.js';
import { settingDifferences } from './setting-differences.js';

/** Two moments of a job, as an instance has seen them one after the other. */
export interface ViewChange {
  /** `undefined`: the instance has just begun to take part. */
  readonly before: JobView | undefined;
  readonly now: JobView;
  /** Id of this instance. */
  readonly me: string;
  /** Its server. */
  readonly myIp: string;
  /** Path and text of the server's node; `undefined` if it is gone. */
  readonly server: { readonly path: string; readonly text: string | undefined };
}

/** What operators have done to this instance and to its job, and what keeps it from working. Peers: see `peerChanges`. */
export function jobChanges(change: ViewChange): readonly JobEvent[] {
  return [...servers(change), ...items(change), ...settings(change)];
}

function servers({ before, now, myIp: ip, server }: ViewChange): readonly JobEvent[] {
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
      // Java up to 2 wrote the empty text for a server that is enabled, and Java 3 writes it for a moment.
      return server.text ? [{ type: 'server-unknown', path: server.path, text: server.text }] : [];
    default:
      return present satisfies never;
  }
}

/** Only items that this instance owned before and owns now: an item that is reassigned has not been enabled or disabled. */
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
