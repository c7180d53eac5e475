import { type RegCenterSettings } from '../../../../lib/settings/reg-center-settings.js';
import { type PlannedFault } from '../fault-plan.js';
import { type RegistryKind } from '../history.js';
import { EtcdUnderFaults } from './etcd.js';
import { PostgresqlUnderFaults } from './postgresql.js';
import { ZooKeeperUnderFaults } from './zookeeper.js';

/** A real registry centre of one kind: its servers, and the faults that only this kind has. */
export interface RegistryUnderFaults extends AsyncDisposable {
  /** `host:port` of each server that clients connect to. Each instance reaches each by a proxy of its own. */
  readonly servers: readonly string[];

  /** Settings with which an application reaches the servers at these addresses, in the order of `servers`. */
  settings(addresses: readonly string[]): RegCenterSettings;

  /**
   * Brings a fault of the servers about and makes it good again.
   * @throws if the servers do not serve again in time, or the fault is none of this kind's
   */
  meet(fault: PlannedFault): Promise<ServerFault>;
}

/** What a fault did to the servers. */
export interface ServerFault {
  /** The server, for people. */
  readonly target: string;
  /** When it began, by the monotonic clock. */
  readonly from: number;
  /** Until when no write was possible; absent if it was possible all the time. */
  readonly outageTo?: number;
}

/** Starts the servers of this kind, which must be installed. */
export function startRegistry(kind: RegistryKind): Promise<RegistryUnderFaults> {
  switch (kind) {
    case 'zookeeper':
      return ZooKeeperUnderFaults.start();
    case 'postgresql':
      return PostgresqlUnderFaults.start();
    case 'etcd':
      return EtcdUnderFaults.start();
    default:
      return kind satisfies never;
  }
}
