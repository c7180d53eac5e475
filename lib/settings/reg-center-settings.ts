import { BooleanSetting } from '../api/settings/setting.js';
import { ZookeeperOptions } from '../registry/zookeeper/zookeeper-options.js';

/**
 * `elasticjob.regCenter`: the address of the registry centre, and the connection to it. Without `serverLists`, jobs are
 * coordinated inside this process only.
 */
export class RegCenterSettings extends ZookeeperOptions {
  /**
   * If true, a registry centre outside this process is required: without `serverLists` the application does not start.
   * Default: false, jobs are then coordinated inside this process only.
   */
  @BooleanSetting() required?: boolean;
}
