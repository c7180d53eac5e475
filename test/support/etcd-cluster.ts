import { EtcdServer, type EtcdServerOptions } from './etcd-server.js';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** Three members of etcd on loopback that elect a leader among them. */
export class EtcdCluster implements AsyncDisposable {
  private constructor(readonly members: readonly EtcdServer[]) {}

  /**
   * Starts three members and waits until all of them serve.
   * @param args further arguments for each; they win over the defaults
   */
  static async start(args: EtcdServerOptions['args'] = []): Promise<EtcdCluster> {
    const peerPorts = [await freePort(), await freePort(), await freePort()];
    const cluster = peerPorts.map((port, index) => `m${index}=http://127.0.0.1:${port}`).join(',');
    const launch = (peerPort: number, index: number): Promise<EtcdServer> =>
      EtcdServer.launch({ args, member: { name: `m${index}`, peerPort, cluster } });
    const members = await Promise.all(peerPorts.map(launch));
    await Promise.all(members.map((member) => member.ready()));
    return new EtcdCluster(members);
  }

  /** The present leader; waits for one. */
  async leader(): Promise<EtcdServer> {
    return this.#memberThat(({ isLeader }) => isLeader, 'a leader');
  }

  /** As `leader`, without asking this member, which may not answer. */
  async leaderBut(away: EtcdServer): Promise<EtcdServer> {
    return this.#memberThat(({ isLeader }) => isLeader, 'another leader', away);
  }

  /** One of the present followers; waits for one. */
  async follower(): Promise<EtcdServer> {
    return this.#memberThat(({ isLeader }) => !isLeader, 'a follower');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.dispose()));
  }

  async #memberThat(holds: (role: MemberRole) => boolean, what: string, away?: EtcdServer): Promise<EtcdServer> {
    let found: EtcdServer | undefined;
    const look = async (): Promise<boolean> => {
      const asked = this.members.filter((member) => member !== away);
      const roles = await Promise.all(asked.map((member) => roleOf(member)));
      found = asked.find((_, index) => roles[index] !== undefined && holds(roles[index]));
      return found !== undefined;
    };
    await until(look, `the cluster has ${what}`);
    return found!;
  }
}

/** What a member says of itself. */
export interface MemberRole {
  readonly id: string;
  readonly isLeader: boolean;
}

/** The role of a member; `undefined` if it does not answer in time, or knows no leader. */
export async function roleOf(member: EtcdServer): Promise<MemberRole | undefined> {
  const status = await member.call('maintenance/status', {}).catch(() => undefined);
  const id = (status?.['header'] as { readonly member_id?: string } | undefined)?.member_id;
  const leader = status?.['leader'];
  if (id === undefined || leader === undefined || leader === '0') return undefined;
  return { id, isLeader: leader === id };
}
