import { type RegCenterSettings } from '../../../../lib/settings/reg-center-settings.js';
import { ZooKeeperEnsemble } from '../../../support/zookeeper-ensemble.js';
import { type ZooKeeperServer } from '../../../support/zookeeper-server.js';
import { type PlannedFault } from '../fault-plan.js';
import { hurtMember, type Quorum } from './quorum.js';
import { type RegistryUnderFaults, type ServerFault } from './registry-under-faults.js';

/** An ensemble of three ZooKeeper servers. */
export class ZooKeeperUnderFaults implements RegistryUnderFaults {
  readonly #quorum: Quorum<ZooKeeperServer>;

  private constructor(private readonly ensemble: ZooKeeperEnsemble) {
    this.#quorum = {
      members: ensemble.servers,
      leader: () => ensemble.leader(),
      follower: () => ensemble.follower(),
      roleOf: async (server) => {
        const mode = await server.mode();
        return mode === 'leader' || mode === 'follower' ? mode : undefined;
      },
    };
  }

  /** Starts the ensemble. */
  static async start(): Promise<ZooKeeperUnderFaults> {
    return new ZooKeeperUnderFaults(await ZooKeeperEnsemble.start());
  }

  get servers(): readonly string[] {
    return this.ensemble.servers.map(({ address }) => address);
  }

  settings(addresses: readonly string[]): RegCenterSettings {
    return { serverLists: addresses.join(',') };
  }

  meet(fault: PlannedFault): Promise<ServerFault> {
    return hurtMember(this.#quorum, fault);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.ensemble[Symbol.asyncDispose]();
  }
}
