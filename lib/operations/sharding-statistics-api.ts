import { ipOfInstanceId } from '../layout/job-instance.js';
import { type ItemView, type JobView } from '../layout/job-view.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { checkedSource, registryFrom, type RegistrySource } from './registry-source.js';
import { readJob } from './job-reading.js';
import { itemStatus, type ItemStatus } from './statuses.js';

/** An item of a job, with its owner and status. */
export interface ShardingInfo {
  readonly item: number;
  /** Ip of its owner's server; `undefined` if it has no owner. */
  readonly serverIp: string | undefined;
  /** Id of its owner, which may be gone; `undefined` if it has none. */
  readonly instanceId: string | undefined;
  readonly status: ItemStatus;
  /** True if another instance has taken the item over after a crash. */
  readonly failover: boolean;
}

/** Lists the items of a job, read from the registry centre only: no job need run in this process. */
export class ShardingStatisticsAPI {
  readonly #source: RegistrySource;

  /**
   * @param registryCenter must be connected, and is closed by the caller; a function is called at each operation
   * @throws InvalidConfigurationError if it is none
   */
  constructor(registryCenter: RegistrySource) {
    this.#source = checkedSource(`new ${new.target.name}()`, registryCenter);
  }

  get #registry(): RegistryCenter {
    return registryFrom(this.#source);
  }

  /** All items of a job, in ascending order. @throws UnknownJobError if there is no job of that name */
  async getShardingInfo(jobName: string): Promise<readonly ShardingInfo[]> {
    const { view } = await readJob(this.#registry, jobName);
    return view.items.map((item) => shardingInfo(view, item));
  }
}

/** The row of an item, from the view of its job. */
export function shardingInfo(view: JobView, item: ItemView): ShardingInfo {
  const { owner } = item;
  const living = owner === undefined ? undefined : view.instances.get(owner);
  return {
    item: item.item,
    serverIp: living?.serverIp ?? (owner === undefined ? undefined : ipOfInstanceId(owner)),
    instanceId: owner,
    status: itemStatus(view, item),
    failover: item.takenOverBy !== undefined,
  };
}
