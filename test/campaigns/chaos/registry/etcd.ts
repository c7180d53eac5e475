import { type RegCenterSettings } from '../../../../lib/settings/reg-center-settings.js';
import { EtcdCluster, roleOf } from '../../../support/etcd-cluster.js';
import { type EtcdServer } from '../../../support/etcd-server.js';
import { type PlannedFault } from '../fault-plan.js';
import { monotonicMs } from '../monotonic.js';
import { hurtMember, type Quorum, untilElected } from './quorum.js';
import { type RegistryUnderFaults, type ServerFault } from './registry-under-faults.js';

/**
 * The times of a real cluster, which a busy machine can keep: members that hear nothing of their leader for a second
 * elect another one. The shortest session is then one and a half seconds.
 */
const TIMES = ['--heartbeat-interval=100', '--election-timeout=1000'];

/** A cluster of three members of etcd. */
export class EtcdUnderFaults implements RegistryUnderFaults {
  readonly #quorum: Quorum<EtcdServer>;

  private constructor(private readonly cluster: EtcdCluster) {
    this.#quorum = {
      members: cluster.members,
      leader: () => cluster.leader(),
      follower: () => cluster.follower(),
      roleOf: async (member) => {
        const role = await roleOf(member);
        return role && (role.isLeader ? 'leader' : 'follower');
      },
    };
  }

  /** Starts the cluster. */
  static async start(): Promise<EtcdUnderFaults> {
    return new EtcdUnderFaults(await EtcdCluster.start(TIMES));
  }

  get servers(): readonly string[] {
    return this.cluster.members.map(({ address }) => address);
  }

  settings(addresses: readonly string[]): RegCenterSettings {
    return { endpoints: addresses.map((address) => `http://${address}`).join(',') };
  }

  meet(fault: PlannedFault): Promise<ServerFault> {
    return fault.kind === 'move the leader' ? this.#moveLeader() : hurtMember(this.#quorum, fault);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cluster[Symbol.asyncDispose]();
  }

  /** Has the leader hand its part over to a follower, as an upgrade of the cluster does. */
  async #moveLeader(): Promise<ServerFault> {
    const { cluster } = this;
    const [leader, follower] = [await cluster.leader(), await cluster.follower()];
    const target = `server ${cluster.members.indexOf(leader) + 1}`;
    const successor = (await roleOf(follower))?.id;
    const from = monotonicMs();
    await leader.call('maintenance/transfer-leadership', { targetID: successor });
    return { target, from, outageTo: await untilElected(this.#quorum, () => leader) };
  }
}
