import { BooleanSetting, Setting, type SettingDeclaration } from '../api/setting.js';
import {
  digestProblem,
  maxRetriesProblem,
  namespaceProblem,
  serverListsProblem,
  timeoutProblem,
} from '../registry/zookeeper/zookeeper-configuration.js';

/** `elasticjob.regCenter`: where the registry centre is. Names and defaults are those of ElasticJob's manual. */
export class RegCenterSettings {
  /** `host:2181,host2:2181`. Without it, jobs are coordinated inside this process only. */
  @Setting(text(serverListsProblem)) serverLists?: string;
  /**
   * Whether a registry centre outside this process is required: without `serverLists` the application does not start.
   * Default: false, jobs are then coordinated inside this process only.
   */
  @BooleanSetting() required?: boolean;
  /** Node below which all jobs are kept. Required with `serverLists`. */
  @Setting(text(namespaceProblem)) namespace?: string;
  /** First delay between attempts, in milliseconds; 0 stands for the default, 1000. */
  @Setting(integer(timeoutProblem)) baseSleepTimeMilliseconds?: number;
  /** Longest delay between attempts, in milliseconds; 0 stands for the default, 3000. */
  @Setting(integer(timeoutProblem)) maxSleepTimeMilliseconds?: number;
  /** How often an operation is tried again, at most 29 times; 0 stands for the default, 3. */
  @Setting(integer(maxRetriesProblem)) maxRetries?: number;
  /** How long a session lives without a sign of life, in milliseconds; 0 stands for the default, 60000. */
  @Setting(integer(timeoutProblem)) sessionTimeoutMilliseconds?: number;
  /** How long to try one server, in milliseconds; 0 stands for the default, 15000. */
  @Setting(integer(timeoutProblem)) connectionTimeoutMilliseconds?: number;
  /** `user:password`. With it, nodes are created so that only holders of the same credentials can use them. Default: none. */
  @Setting({ ...text(digestProblem), secrecy: 'hidden' }) digest?: string;
}

function integer(problem: (value: unknown) => string | undefined): SettingDeclaration {
  return { kind: 'integer', problem };
}

/** A text by the registry centre's rule. A file that a Java application shares may have placeholders, which name nothing here. */
function text(problem: (value: unknown) => string | undefined): SettingDeclaration {
  const hasPlaceholder = (value: unknown): boolean => typeof value === 'string' && /\$\{[^}]*\}/.test(value);
  return {
    kind: 'text',
    problem: (value) =>
      hasPlaceholder(value) ? "must not contain Spring's placeholders, which are not replaced here" : problem(value),
  };
}
