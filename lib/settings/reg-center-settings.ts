import { IntegerSetting, TextSetting } from '../api/setting.js';
import { digestProblem, namespaceProblem, serverListsProblem } from './registry-problems.js';

/** `elasticjob.regCenter`: where the registry centre is. Names and defaults are those of ElasticJob's manual. */
export class RegCenterSettings {
  /** `host:2181,host2:2181`. Without it, jobs are coordinated inside this process only. */
  @TextSetting({ what: "servers like 'host1:2181,host2:2181'", rule: serverListsProblem }) serverLists?: string;
  /** Node below which all jobs are kept. Required with `serverLists`. */
  @TextSetting({ what: "a name like 'orders'", rule: namespaceProblem }) namespace?: string;
  /** First delay between attempts, in milliseconds; 0 stands for the default, 1000. */
  @IntegerSetting({ min: 0 }) baseSleepTimeMilliseconds?: number;
  /** Longest delay between attempts, in milliseconds; 0 stands for the default, 3000. */
  @IntegerSetting({ min: 0 }) maxSleepTimeMilliseconds?: number;
  /** How often an operation is tried again, at most 29 times; 0 stands for the default, 3. */
  @IntegerSetting({ min: 0, max: 29 }) maxRetries?: number;
  /** How long a session lives without a sign of life, in milliseconds; 0 stands for the default, 60000. */
  @IntegerSetting({ min: 0 }) sessionTimeoutMilliseconds?: number;
  /** How long to try one server, in milliseconds; 0 stands for the default, 15000. */
  @IntegerSetting({ min: 0 }) connectionTimeoutMilliseconds?: number;
  /** `user:password`. With it, nodes are created so that only holders of the same credentials can use them. Default: none. */
  @TextSetting({ what: 'of the form user:password', rule: digestProblem, secrecy: 'hidden' }) digest?: string;
}
