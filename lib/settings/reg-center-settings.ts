import { BooleanSetting, rule, Setting } from '../api/settings/setting.js';
import { DECLARED_FOR_ETCD } from '../registry/etcd/etcd-options.js';
import { DECLARED } from '../registry/postgresql/postgresql-options.js';
import { DataSourceSetting } from './tracing-settings.js';
import { ZookeeperOptions } from '../registry/zookeeper/zookeeper-options.js';

/** The kinds of registry centres outside this process that settings can name. */
export const REGISTRY_TYPES = ['ZOOKEEPER', 'POSTGRESQL', 'ETCD'] as const;

/** The address of a registry centre of any kind, and the connection to it. */
export class ConnectionSettings extends ZookeeperOptions {
  /** `ZOOKEEPER`, `POSTGRESQL` or `ETCD`. Default: what follows from `serverLists`, `url` or `endpoints`. */
  @Setting({ kind: 'text' }, rule('registryType', typeProblem)) type?: string;
  /**
   * `postgres://user:password@host:5432/database`. Then the registry centre is PostgreSQL. `undefined`, as a variable of
   * the environment that is not set, is as good as left out; set `required` beside it.
   */
  @DECLARED.url url?: string | undefined;
  /** PostgreSQL: the schema that has the tables. Default: elasticjob. */
  @DECLARED.schema schema?: string;
  /** PostgreSQL: most connections of this process, 2 or more. Default: 4. */
  @DECLARED.connections connections?: number;
  /** PostgreSQL: false behind a pooler of transactions; changes are then polled. Default: true. */
  @DECLARED.notify notify?: boolean;
  /** `http://host1:2379,http://host2:2379`, or with `https`. Then the registry centre is etcd. */
  @DECLARED_FOR_ETCD.endpoints endpoints?: string;
  /** etcd: its user; with `password`. Default: none. */
  @DECLARED_FOR_ETCD.username username?: string;
  /** etcd: the user's password. Default: none. */
  @DECLARED_FOR_ETCD.password password?: string;
  /** etcd: `--max-txn-ops` of the servers, 16 or more; 0 stands for the default, 128. */
  @DECLARED_FOR_ETCD.maxTxnOps maxTxnOps?: number;
}

/**
 * `elasticjob.regCenter`: the registry centre of an application. Without `serverLists`, `url` and `endpoints`, jobs are
 * coordinated inside this process only.
 */
export class RegCenterSettings extends ConnectionSettings {
  /**
   * If true, a registry centre outside this process is required: without one the application does not start. Default:
   * false, jobs are then coordinated inside this process only.
   */
  @BooleanSetting() required?: boolean;
  /**
   * PostgreSQL: a TypeORM `DataSource` of the application in place of `url`: in code, an object, or the name or injection
   * token of a provider; in a file, its name. The registry centre has connections of its own, to the place that its
   * options say.
   */
  @DataSourceSetting() dataSource?: unknown;
}

function typeProblem(type: unknown): string | undefined {
  const isKnown = typeof type === 'string' && REGISTRY_TYPES.some((each) => each === type.toUpperCase());
  return isKnown ? undefined : `must be ${REGISTRY_TYPES.join(' or ')}`;
}
