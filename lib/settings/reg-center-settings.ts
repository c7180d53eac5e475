import { BooleanSetting, rule, Setting } from '../api/settings/setting.js';
import { DECLARED } from '../registry/postgresql/postgresql-options.js';
import { ZookeeperOptions } from '../registry/zookeeper/zookeeper-options.js';

/** The kinds of registry centres outside this process that settings can name. */
export const REGISTRY_TYPES = ['ZOOKEEPER', 'POSTGRESQL'] as const;

/**
 * `elasticjob.regCenter`: the address of the registry centre, and the connection to it. Without `serverLists` and without `url`, jobs are coordinated
 * inside this process only.
 */
export class RegCenterSettings extends ZookeeperOptions {
  /** `ZOOKEEPER` or `POSTGRESQL`. Default: what follows from `serverLists` or `url`. */
  @Setting({ kind: 'text' }, rule('registryType', typeProblem)) type?: string;
  /** `postgres://user:password@host:5432/database`. Then the registry centre is PostgreSQL. */
  @DECLARED.url url?: string;
  /** PostgreSQL: the schema that has the tables. Default: elasticjob. */
  @DECLARED.schema schema?: string;
  /** PostgreSQL: most connections of this process, 2 or more. Default: 4. */
  @DECLARED.connections connections?: number;
  /** PostgreSQL: false behind a pooler of transactions; changes are then polled. Default: true. */
  @DECLARED.notify notify?: boolean;
  /**
   * Whether a registry centre outside this process is required: without one the application does not start. Default:
   * false, jobs are then coordinated inside this process only.
   */
  @BooleanSetting() required?: boolean;
}

function typeProblem(type: unknown): string | undefined {
  const isKnown = typeof type === 'string' && REGISTRY_TYPES.some((each) => each === type.toUpperCase());
  return isKnown ? undefined : `must be ${REGISTRY_TYPES.join(' or ')}`;
}
