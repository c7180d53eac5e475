/**
 * Wrong settings of all sources, each with the beginning of its refusal: a refusal names the setting, the value unless
 * it may be secret, and what would be right. A row is one thing that somebody may write.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { type InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { readApplicationSettings } from '../../../lib/nest/settings/application-settings.js';
import { readSettingsFile } from '../../../lib/settings/files/settings-file.js';

interface Given {
  readonly decorated?: Readonly<Record<string, unknown>>;
  readonly options?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
  readonly yaml?: string;
  readonly properties?: string;
}

const COUNT = { shardingTotalCount: 3 };

/** Options of forRoot(). */
const O = (options: unknown): Given => ({ options });
/** A job in the options of forRoot(). */
const J = (settings: object): Given => O({ jobs: { j: { elasticJobClass: 'SyncOrdersJob', ...COUNT, ...settings } } });
/** Options of a decorator. */
const D = (settings: object): Given => ({ decorated: { ...COUNT, ...settings } });
/** A variable of the environment, beside a right job. */
const E = (variable: string, value: string): Given => ({ ...D({}), environment: { [variable]: value } });
/** A file in YAML, beside a right job. */
const Y = (yaml: string): Given => ({ ...D({}), yaml });
/** A file of Java's properties, beside a right job. */
const P = (properties: string): Given => ({ ...D({}), properties });

class SyncOrdersJob {
  execute(): void {}
}

const directory = mkdtempSync(join(tmpdir(), 'elasticjob-'));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf({ yaml, properties, environment = {} }: Given): unknown {
  if (yaml === undefined && properties === undefined) return undefined;
  const file = join(directory, yaml === undefined ? 'elasticjob.properties' : 'elasticjob.yaml');
  writeFileSync(file, yaml ?? properties ?? '');
  return readSettingsFile(file, environment);
}

function refusalOf(given: Given): string {
  const { decorated, options = {}, environment = {} } = given;
  const provider = {
    ...{ className: 'SyncOrdersJob', type: SyncOrdersJob, label: 'provider SyncOrdersJob of AppModule' },
    ...{ instance: new SyncOrdersJob(), scopeProblem: undefined, extensions: [], isTracingListener: false },
    jobs: decorated === undefined ? [] : [{ jobName: 'j', options: decorated }],
  };
  try {
    readApplicationSettings({ options, file: fileOf(given), environment, providers: [provider] });
    return 'accepted';
  } catch (error) {
    const [fault = ''] = (error as InvalidConfigurationError).faults;
    return fault.replace(/^Configuration file '[^']*' /, '');
  }
}

const ROWS: readonly (readonly [given: Given, said: string])[] = [
  [O({ enabled: 'true' }), 'elasticjob.enabled: must be true or false, got "true"'],
  [O({ enabled: 1 }), 'elasticjob.enabled: must be true or false, got 1'],
  [O({ enable: true }), "elasticjob.enable: unknown key; did you mean 'enabled'?"],
  [O({ autoStart: 'no' }), 'elasticjob.autoStart: must be true or false, got "no"'],
  [O({ failOnJobErrors: true }), "elasticjob.failOnJobErrors: unknown key; did you mean 'failOnJobError'?"],
  [
    O({ shutdownGracePeriodMilliseconds: -1 }),
    'elasticjob.shutdownGracePeriodMilliseconds: must be an integer of at least 0, got -1',
  ],
  [
    O({ shutdownGracePeriodMilliseconds: '20s' }),
    'elasticjob.shutdownGracePeriodMilliseconds: must be an integer of at least 0, got "20s"',
  ],
  [
    O({ shutdownGracePeriodMilliseconds: 1.5 }),
    'elasticjob.shutdownGracePeriodMilliseconds: must be an integer of at least 0, got 1.5',
  ],
  [
    O({ shutdownGracePeriodMilliseconds: Infinity }),
    'elasticjob.shutdownGracePeriodMilliseconds: must be an integer of at least 0, got Infinity',
  ],
  [O({ preferredNetworkInterface: 5 }), 'elasticjob.preferredNetworkInterface: must be a text, got 5'],
  [O({ preferredNetworkIp: ['10.'] }), 'elasticjob.preferredNetworkIp: must be a text, got ["10."]'],
  [O({ structuredLog: 'json' }), 'elasticjob.structuredLog: must be true or false, got "json"'],
  [
    O({ logger: console.log }),
    'elasticjob.logger: must be false (nothing is logged) or an object with the methods debug(), log(), warn(), error(), got a function',
  ],
  [
    O({ logger: true }),
    'elasticjob.logger: must be false (nothing is logged) or an object with the methods debug(), log(), warn(), error(), got true',
  ],
  [
    O({ logger: { log() {} } }),
    'elasticjob.logger: must be false (nothing is logged) or an object with the methods debug(), log(), warn(), error(); debug(), warn(), error() is missin',
  ],
  [O({ observers: {} }), 'elasticjob.observers: must be a list of objects with onRunEvent(), got keys with values'],
  [O({ observers: [{}] }), 'elasticjob.observers: must be a list of objects with onRunEvent(), got [keys with values]'],
  [
    O({ interceptors: [() => 1] }),
    'elasticjob.interceptors: must be a list of objects with around(), got [a function]',
  ],
  [
    O({ strategies: [{ type: 'A' }] }),
    "elasticjob.strategies: must be a list of objects with a 'type' and sharding(), got [keys with values]",
  ],
  [
    O({
      strategies: [
        { type: 'a', sharding() {} },
        { type: 'A', sharding() {} },
      ],
    }),
    'elasticjob.strategies: must not have the type "A" twice; case does not count, got [keys with values,keys with values]',
  ],
  [O({ executors: [null] }), "elasticjob.executors: must be a list of objects with a 'type' and process(), got [null]"],
  [
    O({ errorHandlers: 'LOG' }),
    'elasticjob.errorHandlers: must be a list of objects with a \'type\' and handleException(), got "LOG"',
  ],
  [
    O({ threadPoolSizeProviders: [{ type: ' ', getSize: () => 1 }] }),
    "elasticjob.threadPoolSizeProviders: must be a list of objects with a 'type' and getSize(), got [keys with values]",
  ],
  [
    O({ listeners: [{ type: 'L' }] }),
    'elasticjob.listeners: must be a list of job listeners, but L has no methods beforeJobExecuted(shardingContexts) and afterJobExecuted(shardingContexts)',
  ],
  [O({ listeners: {} }), 'elasticjob.listeners: must be a list of job listeners, got keys with values'],
  [
    O({ classedExecutors: [{ accepts() {}, process() {} }] }),
    "elasticjob.classedExecutors: must be a list of objects with accepts(), process() and a text 'requirement', which names what accepts() looks for, got [",
  ],
  [
    O({ oneOffJobs: 'a' }),
    'elasticjob.oneOffJobs: must be a list of names of one-off jobs, such as [\'monthlyReport\'], got "a"',
  ],
  [
    O({ oneOffJobs: [5] }),
    "elasticjob.oneOffJobs: must be a list of names of one-off jobs, such as ['monthlyReport'], got [5]",
  ],
  [
    O({ registryCenter: {} }),
    'elasticjob.registryCenter: must be an object with the methods connect(), mirror(), commit(), close(), got keys with values',
  ],
  [O({ registryCentre: {} }), "elasticjob.registryCentre: unknown key; did you mean 'registryCenter'?"],
  [O({ regcentre: {} }), "elasticjob.regcentre: unknown key; did you mean 'regCenter'?"],
  [
    O({ regCenter: 'zk:2181' }),
    'elasticjob.regCenter: must be keys with values (key: value), got a string that is not shown',
  ],
  [
    O({ regCenter: { serverLists: ['zk:2181'], namespace: 'n' } }),
    'elasticjob.regCenter.serverLists: must be servers like \'host1:2181,host2:2181\', got ["zk:2181"]',
  ],
  [
    O({ regCenter: { serverLists: 'zk:port', namespace: 'n' } }),
    "elasticjob.regCenter.serverLists: must be servers like 'host1:2181,host2:2181', which 'zk:port' is not, got \"zk:port\"",
  ],
  [
    O({ regCenter: { serverLists: 'zk:99999', namespace: 'n' } }),
    "elasticjob.regCenter.serverLists: must be servers like 'host1:2181,host2:2181', which 'zk:99999' is not, got \"zk:99999\"",
  ],
  [
    O({ regCenter: { serverLists: 'http://zk:2181', namespace: 'n' } }),
    "elasticjob.regCenter.serverLists: must be servers like 'host1:2181,host2:2181', which 'http:' is not, got \"http://zk:2181\"",
  ],
  [
    O({ regCenter: { serverLists: 'zk:2181', namespace: '/n' } }),
    "elasticjob.regCenter.namespace: must be a name like 'orders', or names joined by '/', got \"/n\"",
  ],
  [
    O({ regCenter: { serverLists: 'zk:2181', namespace: 'n/' } }),
    "elasticjob.regCenter.namespace: must be a name like 'orders', or names joined by '/', got \"n/\"",
  ],
  [
    O({ regCenter: { serverLists: 'zk:2181', namespace: '"n"' } }),
    'elasticjob.regCenter.namespace: must be a name like \'orders\', or names joined by \'/\', got "\\"n\\""',
  ],
  [
    O({ regCenter: { serverLists: 'zk:2181', namespace: '..' } }),
    "elasticjob.regCenter.namespace: must be a name like 'orders', or names joined by '/', got \"..\"",
  ],
  [
    O({ regCenter: { serverLists: 'zk:2181', namespace: 'zookeeper' } }),
    'elasticjob.regCenter.namespace: must not be below \'zookeeper\', where ZooKeeper keeps nodes of its own, got "zookeeper"',
  ],
  [
    O({ regCenter: { serverLists: 'zk:2181,', namespace: 'n' } }),
    'elasticjob.regCenter.serverLists: must be servers like \'host1:2181,host2:2181\', without commas that separate nothing, got "zk:2181,"',
  ],
  [
    O({ regCenter: { serverList: 'zk:2181' } }),
    "elasticjob.regCenter.serverList: unknown key; did you mean 'serverLists'?",
  ],
  [
    O({ regCenter: { sessionTimeoutMs: 5 } }),
    'elasticjob.regCenter.sessionTimeoutMs: unknown key; known are: required, dataSource, serverLists, namespace, baseSleepTimeMilliseconds, maxSleepTimeMilliseconds, ',
  ],
  [
    O({ regCenter: { sessionTimeoutMilliseconds: '10s' } }),
    'elasticjob.regCenter.sessionTimeoutMilliseconds: must be 0 (the default) or an integer of at least 1000, got "10s"',
  ],
  [
    O({ regCenter: { digest: 'user' } }),
    'elasticjob.regCenter.digest: must be of the form user:password, got a string that is not shown',
  ],
  [
    O({ regCenter: { digest: { user: 'a' } } }),
    'elasticjob.regCenter.digest: must be of the form user:password, got keys with values',
  ],
  [O({ regCenter: { maxRetries: -1 } }), 'elasticjob.regCenter.maxRetries: must be an integer of at least 0, got -1'],
  [
    O({ regCenter: { tls: true } }),
    'elasticjob.regCenter.tls: must be keys with values (key: value), got a boolean that is not shown',
  ],
  [
    O({ regCenter: { sasl: { user: 'a' } } }),
    'elasticjob.regCenter.sasl.user: unknown key; known are: username, password',
  ],
  [O({ regCenter: { required: 'yes' } }), 'elasticjob.regCenter.required: must be true or false, got "yes"'],
  [O({ dump: { port: 'x' } }), 'elasticjob.dump.port: must be an integer of at least 0, got "x"'],
  [O({ dump: { port: 70000 } }), 'elasticjob.dump.port: must be an integer of at most 65535, got 70000'],
  [O({ dump: 9888 }), 'elasticjob.dump: must be keys with values (key: value), got a number that is not shown'],
  [
    O({ dump: { host: '0.0.0.0' } }),
    'elasticjob.dump.host: has no effect without the dump\'s port: set elasticjob.dump.port too, or remove it, got "0.0.0.0"',
  ],
  [
    O({ tracing: { type: 'MYSQL' } }),
    'elasticjob.tracing.type: must be RDB, which records runs in a database by TypeORM, got "MYSQL"',
  ],
  [O({ tracing: 'RDB' }), 'elasticjob.tracing: must be keys with values (key: value), got a string that is not shown'],
  [
    O({ tracing: { type: 'RDB', includeJobNames: 'a,b' } }),
    'elasticjob.tracing.includeJobNames: must be a list of texts that are not empty, got "a,b"',
  ],
  [
    O({ jobs: { j: { tracingDataSource: ' ' } } }),
    'elasticjob.jobs.j.tracingDataSource: must name a DataSource of the application',
  ],
  [
    O({ jobs: { j: { tracingDatasources: 'a' } } }),
    "elasticjob.jobs.j.tracingDatasources: unknown key; did you mean 'tracingDataSource'?",
  ],
  [O({ tracing: { retentionDays: 0 } }), 'elasticjob.tracing.retentionDays: must be an integer of at least 1, got 0'],
  [
    O({ tracing: { excludeJobs: [] } }),
    'elasticjob.tracing.excludeJobs: unknown key; known are: type, dataSource, includeJobNames, excludeJobNames, retentionDays, maxPendingEvents',
  ],
  [O({ jobs: [] }), 'elasticjob.jobs: must be keys with values (key: value), got a list'],
  [O({ jobs: { j: null } }), 'elasticjob.jobs.j: must be keys with values (key: value), got null'],
  [
    O({ jobs: { 'a/b': { elasticJobClass: 'SyncOrdersJob', shardingTotalCount: 1 } } }),
    'elasticjob.jobs["a/b"]: the job\'s name must not contain \'/\', as it names a node of the registry centre, got "a/b"',
  ],
  [
    O({ jobs: { '': { elasticJobClass: 'SyncOrdersJob', shardingTotalCount: 1 } } }),
    'elasticjob.jobs[""]: the job\'s name must be a text that is not empty, got ""',
  ],
  [O({ cron: '0 0 * * * ?' }), 'elasticjob.cron: unknown key; it belongs to elasticjob.jobs.<name>'],
  [O({ namespace: 'n' }), 'elasticjob.namespace: unknown key; it belongs to elasticjob.regCenter'],
  [O({ serverLists: 'zk:2181' }), 'elasticjob.serverLists: unknown key; it belongs to elasticjob.regCenter'],
  [O(null), 'elasticjob: must be keys with values (key: value), got null'],
  [O([]), 'elasticjob: must be keys with values (key: value), got a list'],
  [O('x'), 'elasticjob: must be keys with values (key: value), got a string that is not shown'],
  [O(new Map()), 'elasticjob: must be keys with values (key: value), got an instance of Map'],
  [D({ cron: 5 }), "elasticjob.jobs.j.cron: must be a cron expression such as '0/5 * * * * ?', got 5"],
  [
    D({ cron: '* * * *' }),
    "elasticjob.jobs.j.cron: it has no '?', hence is crontab text, and it has 4 fields, but 5 or 6 are needed; allowed are '[second] minute hour day-of-mon",
  ],
  [
    D({ cron: '@every 5m' }),
    "elasticjob.jobs.j.cron: it has no '?', hence is crontab text, and '@every 5m' is no macro it knows; allowed are '[second] minute hour day-of-month mon",
  ],
  [
    D({ cron: '5m' }),
    "elasticjob.jobs.j.cron: it has no '?', hence is crontab text, and it has 1 field, but 5 or 6 are needed; allowed are '[second] minute hour day-of-mont",
  ],
  [
    D({ cron: '0 0 25 * * ?' }),
    "elasticjob.jobs.j.cron: hours '25' has '25', which is out of range; allowed are 0-23, '*', lists '1,5', ranges '3-7', steps '*/5', got \"0 0 25 * * ?\"",
  ],
  [D({ cron: '0 0 0 30 2 ?' }), 'elasticjob.jobs.j.cron: it never fires, got "0 0 0 30 2 ?"'],
  [
    D({ cron: '0 0 0 ? * MO' }),
    "elasticjob.jobs.j.cron: day of week 'MO' has 'MO', which cannot be read; allowed are 1-7 (1 is SUN) or SUN-SAT, '*', lists '1,5', ranges '3-7', steps ",
  ],
  [
    D({ cron: '61 * * * *' }),
    "elasticjob.jobs.j.cron: it has no '?', hence is crontab text, and cron-parser says \"Constraint error, got value 61 expected range 0-59\"; allowed are '",
  ],
  [
    D({ cron: 'R/PT5M' }),
    "elasticjob.jobs.j.cron: it has no '?', hence is crontab text, and it has 1 field, but 5 or 6 are needed; allowed are '[second] minute hour day-of-mont",
  ],
  [
    D({ cron: '2026-01-01T00:00:00Z' }),
    "elasticjob.jobs.j.cron: it has no '?', hence is crontab text, and it has 1 field, but 5 or 6 are needed; allowed are '[second] minute hour day-of-mont",
  ],
  [
    D({ cron: ['0 0 * * * ?'] }),
    'elasticjob.jobs.j.cron: must be a cron expression such as \'0/5 * * * * ?\', got ["0 0 * * * ?"]',
  ],
  [D({ cron: ' ' }), 'elasticjob.jobs.j.cron: must not consist of blanks; leave it out, got " "'],
  [
    D({ cron: '${CRON}' }),
    'elasticjob.jobs.j.cron: must not have placeholders such as ${…}, which are replaced in files only, got "${CRON}"',
  ],
  [
    D({ cron: '$(CRON)' }),
    'elasticjob.jobs.j.cron: must not have $(CRON), which Kubernetes leaves as it is if the container has no variable of that name, or only further below; ',
  ],
  [
    D({ timeZone: '+8' }),
    "elasticjob.jobs.j.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai'; write 'GMT+8'; allowed are GMT with an offset up to 23:59 ('GM",
  ],
  [D({ timeZone: 8 }), "elasticjob.jobs.j.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai', got 8"],
  [
    D({ timeZone: 'Beijing' }),
    "elasticjob.jobs.j.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai'; allowed are GMT with an offset up to 23:59 ('GMT+8', 'GMT+08:0",
  ],
  [
    D({ timeZone: 'UTC+8' }),
    "elasticjob.jobs.j.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai'; write 'GMT+8'; allowed are GMT with an offset up to 23:59 ('GM",
  ],
  [
    D({ timeZone: 'GMT+25' }),
    "elasticjob.jobs.j.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai'; allowed are GMT with an offset up to 23:59 ('GMT+8', 'GMT+08:0",
  ],
  [D({ shardingTotalCount: 0 }), 'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got 0'],
  [D({ shardingTotalCount: '3' }), 'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got "3"'],
  [
    D({ shardingTotalCount: 1e6 }),
    'elasticjob.jobs.j.shardingTotalCount: must be an integer of at most 100000, got 1000000',
  ],
  [D({ shardingTotalCount: NaN }), 'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got NaN'],
  [D({ shardingTotalCount: 3n }), 'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got 3'],
  [D({ shardingCount: 3 }), "elasticjob.jobs.j.shardingCount: unknown key; did you mean 'shardingTotalCount'?"],
  [
    D({ shardingItemParameters: '0:a' }),
    "elasticjob.jobs.j.shardingItemParameters: must be like '0=Beijing,1=Shanghai', but '0:a' is not of the form item=parameter, got \"0:a\"",
  ],
  [
    D({ shardingItemParameters: '3=a' }),
    'elasticjob.jobs.j.shardingItemParameters: must only name items from 0 to 2, as shardingTotalCount is 3, but names item 3, got "3=a"',
  ],
  [
    D({ shardingItemParameters: '0=a,0=b' }),
    'elasticjob.jobs.j.shardingItemParameters: must be like \'0=Beijing,1=Shanghai\', but item 0 has two parameters, got "0=a,0=b"',
  ],
  [
    D({ shardingItemParameters: { 3: 'a' } }),
    'elasticjob.jobs.j.shardingItemParameters: must only name items from 0 to 2, as shardingTotalCount is 3, but names item 3, got keys with values',
  ],
  [
    D({ shardingItemParameters: { a: 'b' } }),
    "elasticjob.jobs.j.shardingItemParameters: must be a text like '0=Beijing,1=Shanghai', a list of texts, or texts by item (0: Beijing), but 'a' is not t",
  ],
  [
    D({ shardingItemParameters: [1, 2, 3, 4] }),
    'elasticjob.jobs.j.shardingItemParameters: must only name items from 0 to 2, as shardingTotalCount is 3, but names item 3, got [1,2,3,4]',
  ],
  [
    D({ shardingItemParameters: new Map() }),
    "elasticjob.jobs.j.shardingItemParameters: must be a text like '0=Beijing,1=Shanghai', a list of texts, or texts by item (0: Beijing), got an instance ",
  ],
  [
    D({ shardingItemParameters: '{"0":5}' }),
    'elasticjob.jobs.j.shardingItemParameters: must be like \'{"0":"Beijing","1":"a,b"}\', but the parameter of item 0 is not a text, got "{\\"0\\":5}"',
  ],
  [
    D({ shardingItemParameters: '{"0":"a"' }),
    'elasticjob.jobs.j.shardingItemParameters: must be like \'{"0":"Beijing","1":"a,b"}\', but is not valid JSON, got "{\\"0\\":\\"a\\""',
  ],
  [D({ jobParameter: {} }), 'elasticjob.jobs.j.jobParameter: must be a text, got keys with values'],
  [D({ jobParameter: 5 }), 'elasticjob.jobs.j.jobParameter: must be a text, got 5'],
  [
    D({ jobParameter: '\0' }),
    'elasticjob.jobs.j.jobParameter: must not contain the character U+0000, at which programs and databases end a text, got "\\u0000"',
  ],
  [D({ monitorExecution: 'false' }), 'elasticjob.jobs.j.monitorExecution: must be true or false, got "false"'],
  [D({ failover: 0 }), 'elasticjob.jobs.j.failover: must be true or false, got 0'],
  [D({ misfire: null }), 'elasticjob.jobs.j.misfire: must be true or false, got null'],
  [
    D({ maxTimeDiffSeconds: 0 }),
    'elasticjob.jobs.j.maxTimeDiffSeconds: must be -1 (no check) or an integer of at least 1, got 0',
  ],
  [
    D({ maxTimeDiffSeconds: -2 }),
    'elasticjob.jobs.j.maxTimeDiffSeconds: must be -1 (no check) or an integer of at least 1, got -2',
  ],
  [
    D({ reconcileIntervalMinutes: '10' }),
    'elasticjob.jobs.j.reconcileIntervalMinutes: must be an integer of at least -1, got "10"',
  ],
  [
    D({ timeoutMilliseconds: '5s' }),
    'elasticjob.jobs.j.timeoutMilliseconds: must be an integer of at least 1, got "5s"',
  ],
  [D({ timeoutMilliseconds: 0.5 }), 'elasticjob.jobs.j.timeoutMilliseconds: must be an integer of at least 1, got 0.5'],
  [D({ timeout: 5 }), "elasticjob.jobs.j.timeout: unknown key; did you mean 'timeoutMilliseconds'?"],
  [D({ maxRetries: 101 }), 'elasticjob.jobs.j.maxRetries: must be an integer of at most 100, got 101'],
  [D({ retries: 3 }), "elasticjob.jobs.j.retries: unknown key; did you mean 'maxRetries'?"],
  [
    D({ retryBackoffMilliseconds: -1 }),
    'elasticjob.jobs.j.retryBackoffMilliseconds: must be an integer of at least 0, got -1',
  ],
  [
    D({ jobShardingStrategyType: 'AVG' }),
    'elasticjob.jobs.j.jobShardingStrategyType: unknown sharding strategy "AVG"; known are: AVG_ALLOCATION, ODEVITY, ROUND_ROBIN, SINGLE_SHARDING_BALANCE, ',
  ],
  [
    D({ jobShardingStrategyClass: 'x' }),
    "elasticjob.jobs.j.jobShardingStrategyClass: unknown key; did you mean 'jobShardingStrategyType'?",
  ],
  [
    D({ jobErrorHandlerType: 'MAIL' }),
    'elasticjob.jobs.j.jobErrorHandlerType: unknown error handler "MAIL"; known are: EMAIL, WECHAT, DINGTALK, LOG, THROW, IGNORE',
  ],
  [
    D({ jobErrorHandlerType: 'EMAIL' }),
    'elasticjob.jobs.j.props: error handler EMAIL: The property `email.host` is required.',
  ],
  [
    D({ jobListenerTypes: 'L' }),
    'elasticjob.jobs.j.jobListenerTypes: must be a list of texts that are not empty, got "L"',
  ],
  [
    D({ jobListenerTypes: [''] }),
    'elasticjob.jobs.j.jobListenerTypes: must be a list of texts that are not empty, got [""]',
  ],
  [
    D({ jobExecutorThreadPoolSizeProviderType: 8 }),
    'elasticjob.jobs.j.jobExecutorThreadPoolSizeProviderType: must be a text, got 8',
  ],
  [D({ props: 'a=b' }), 'elasticjob.jobs.j.props: must be keys with texts (key: text), got a string that is not shown'],
  [D({ props: [] }), 'elasticjob.jobs.j.props: must be keys with texts (key: text), got a list'],
  [
    D({ props: { a: null } }),
    "elasticjob.jobs.j.props: must be keys with texts (key: text), but 'a' is null, got keys with values",
  ],
  [
    D({ props: { 'run.maxRetry': '3' } }),
    "elasticjob.jobs.j.props: must not have the key 'run.maxRetry', which means nothing; did you mean 'run.maxRetries'?, got keys with values",
  ],
  [
    D({ props: { 'run.maxRetries': '3' }, maxRetries: 2 }),
    'elasticjob.jobs.j.maxRetries: must not differ from the property \'run.maxRetries\' of the same job, which is "3", got 2',
  ],
  [
    D({ props: { run: 5 } }),
    "elasticjob.jobs.j.props: must not have the key 'run', which means nothing; known are: run.timeoutMilliseconds, run.maxRetries, run.retryBackoffMillise",
  ],
  [D({ after: ['a', ''] }), 'elasticjob.jobs.j.after: the job\'s name must be a text that is not empty, got ["a",""]'],
  [
    D({ after: { importA: true } }),
    "elasticjob.jobs.j.after: must be names of jobs such as 'importA' or ['importA', 'importB'], got keys with values",
  ],
  [D({ afterItems: true }), 'elasticjob.jobs.j.afterItems: must be one of all, same, got true'],
  [D({ afterFailure: 'ignore' }), 'elasticjob.jobs.j.afterFailure: must be one of stop, run, skip, got "ignore"'],
  [D({ disabled: 'yes' }), 'elasticjob.jobs.j.disabled: must be true or false, got "yes"'],
  [D({ overwrite: 'true' }), 'elasticjob.jobs.j.overwrite: must be true or false, got "true"'],
  [D({ staticSharding: 1 }), 'elasticjob.jobs.j.staticSharding: must be true or false, got 1'],
  [D({ label: {} }), 'elasticjob.jobs.j.label: must be a text, got keys with values'],
  [D({ description: ['a'] }), 'elasticjob.jobs.j.description: must be a text, got ["a"]'],
  [
    D({ elasticJobType: 'SCRIPT' }),
    '@ElasticJob("j").elasticJobType: unknown key; the decorated class SyncOrdersJob does the work',
  ],
  [
    D({ worker: '' }),
    "elasticjob.jobs.j.worker: must be a file: URL, such as new URL('./crunch.js', import.meta.url), or a path, such as './dist/crunch.js', got \"\"",
  ],
  [
    D({ worker: 5 }),
    "elasticjob.jobs.j.worker: must be a file: URL, such as new URL('./crunch.js', import.meta.url), or a path, such as './dist/crunch.js', got 5",
  ],
  [D({ jobBootstrapBeanName: 5 }), 'elasticjob.jobs.j.jobBootstrapBeanName: must be a text, got 5'],
  [
    D({ jobClassName: 'a b' }),
    'elasticjob.jobs.j.jobClassName: must be a class name without blanks, such as \'org.acme.SyncOrdersJob\', got "a b"',
  ],
  [
    J({ elasticJobClass: 'Nope' }),
    'elasticjob.jobs.j.elasticJobClass: must be the class name of a provider, got "Nope"',
  ],
  [
    J({ elasticJobClass: {} }),
    'elasticjob.jobs.j.elasticJobClass: must be the class name of a provider, got keys with values',
  ],
  [
    J({ elasticJobClass: undefined }),
    "elasticjob.jobs.j: no provider is decorated with @ElasticJob('j'), and neither elasticJobClass nor elasticJobType is set",
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'SIMPLE' }),
    'elasticjob.jobs.j.elasticJobType: unknown job type "SIMPLE"; known are: SCRIPT, HTTP, WORKER. A simple job is an object of a class, such as a provider',
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'SCRIPTS' }),
    'elasticjob.jobs.j.elasticJobType: unknown job type "SCRIPTS"; known are: SCRIPT, HTTP, WORKER',
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'SCRIPT' }),
    "elasticjob.jobs.j.props['script.command.line']: Cannot find script command line, job is not executed: must be a command such as \"python3 /opt/jobs/syn",
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'SCRIPT', props: { 'script.command.line': '"a' } }),
    'elasticjob.jobs.j.props[\'script.command.line\']: must have an end to each quotation: its quotes are unbalanced, got "\\"a"',
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'SCRIPT', props: { 'script.command.line': ' ' } }),
    "elasticjob.jobs.j.props['script.command.line']: Cannot find script command line, job is not executed: must be a command such as \"python3 /opt/jobs/syn",
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'HTTP' }),
    'elasticjob.jobs.j.props[\'http.uri\']: Cannot find HTTP URL, job is not executed: must be an address such as "https://example.com/jobs/sync", got nothin',
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'HTTP', props: { 'http.uri': 'a', 'http.method': 'GET' } }),
    "elasticjob.jobs.j.props['http.uri']: must be an absolute address that begins with http:// or https://; this one is not shown, as it may hold a passwor",
  ],
  [
    J({ elasticJobClass: undefined, elasticJobType: 'HTTP', props: { 'http.uri': 'http://a', 'http.method': 'get' } }),
    'elasticjob.jobs.j.props[\'http.method\']: must be one of GET, POST, HEAD, OPTIONS, PUT, DELETE, TRACE, in capital letters, got "get"',
  ],
  [
    J({
      elasticJobClass: undefined,
      elasticJobType: 'HTTP',
      props: { 'http.uri': 'http://a:99999', 'http.method': 'GET' },
    }),
    "elasticjob.jobs.j.props['http.uri']: must have a port from 1 to 65535, and has the port 99999; the rest is not shown",
  ],
  [
    J({
      elasticJobClass: undefined,
      elasticJobType: 'HTTP',
      props: { 'http.uri': 'http://a', 'http.method': 'GET', 'http.failOnErrorStatus': 'yes' },
    }),
    'elasticjob.jobs.j.props[\'http.failOnErrorStatus\']: must be true or false, got "yes"',
  ],
  [
    J({ elasticJobType: 'HTTP' }),
    'elasticjob.jobs.j: elasticJobClass and elasticJobType are mutually exclusive, got elasticJobClass "SyncOrdersJob" and elasticJobType "HTTP"',
  ],
  [
    E('ELASTICJOB_JOBS_J_CRON', '"0 0 * * * ?"'),
    'elasticjob.jobs.j.cron: must not stand in quotes: nothing removes them here, so that they would be part of the value; leave them out, or set it in YAM',
  ],
  [
    E('ELASTICJOB_JOBS_J_CRONN', 'x'),
    "elasticjob.jobs.j.cronn: unknown key; did you mean 'cron'? (from environment variable ELASTICJOB_JOBS_J_CRONN)",
  ],
  [
    E('ELASTICJOB_JOBS_J_SHARDINGTOTALCOUNT', '3.0'),
    'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got "3.0" (from environment variable ELASTICJOB_JOBS_J_SHARDINGTOTALCOUNT)',
  ],
  [
    E('ELASTICJOB_JOBS_J_SHARDINGTOTALCOUNT', '0x3'),
    'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got "0x3" (from environment variable ELASTICJOB_JOBS_J_SHARDINGTOTALCOUNT)',
  ],
  [
    E('ELASTICJOB_JOBS_J_SHARDINGTOTALCOUNT', 'three'),
    'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got "three" (from environment variable ELASTICJOB_JOBS_J_SHARDINGTOTALCOUNT)',
  ],
  [
    E('ELASTICJOB_JOBS_J_FAILOVER', 'yes'),
    'elasticjob.jobs.j.failover: must be true or false, got "yes" (from environment variable ELASTICJOB_JOBS_J_FAILOVER)',
  ],
  [
    E('ELASTICJOB_JOBS_J_FAILOVER', '1'),
    'elasticjob.jobs.j.failover: must be true or false, got "1" (from environment variable ELASTICJOB_JOBS_J_FAILOVER)',
  ],
  [
    E('ELASTICJOB_JOBS_J', 'x'),
    "ELASTICJOB_JOBS_J: is not a setting of a job; a job's settings are ELASTICJOB_JOBS_<NAME>_<SETTING>",
  ],
  [
    E('ELASTICJOB_JOBS', '{}'),
    "ELASTICJOB_JOBS: 'jobs' is a section; its settings are ELASTICJOB_JOBS_<NAME>_<SETTING>",
  ],
  [
    E('ELASTICJOB_REGCENTER', 'zk:2181'),
    "ELASTICJOB_REGCENTER: 'regCenter' is a section; its settings are ELASTICJOB_REGCENTER_<SETTING>",
  ],
  [
    E('ELASTICJOB_REGCENTER_SERVERLIST', 'zk'),
    "elasticjob.regCenter.serverlist: unknown key; did you mean 'serverLists'? (from environment variable ELASTICJOB_REGCENTER_SERVERLIST)",
  ],
  [
    E('ELASTICJOB_REGCENTER_SERVERLISTS', 'zk:2181'),
    "elasticjob.regCenter.namespace: is required with serverLists or url or endpoints and must be a name like 'orders'; set it in forRoot({ regCenter: { namespace } }), as ela",
  ],
  [
    E('ELASTICJOB_REGCENTER_SERVERLISTS', '$(ZK):2181'),
    'elasticjob.regCenter.serverLists: must not have $(ZK), which Kubernetes leaves as it is if the container has no variable of that name, or only further',
  ],
  [
    E('ELASTICJOB_ENABLED', 'on'),
    'elasticjob.enabled: must be true or false, got "on" (from environment variable ELASTICJOB_ENABLED)',
  ],
  [E('ELASTICJOB_AUTOSTARTS', 'true'), "ELASTICJOB_AUTOSTARTS: unknown key 'autostarts'; did you mean 'autoStart'?"],
  [
    E('ELASTICJOB_DUMP_PORT', 'abc'),
    'elasticjob.dump.port: must be an integer of at least 0, got "abc" (from environment variable ELASTICJOB_DUMP_PORT)',
  ],
  [
    E('ELASTICJOB_TRACING_TYPE', 'rdbms'),
    'elasticjob.tracing.type: must be RDB, which records runs in a database by TypeORM, got "rdbms" (from environment variable ELASTICJOB_TRACING_TYPE)',
  ],
  [
    E('ELASTICJOB_JOBS_J_PROPS_RUN_MAXRETRIES', 'many'),
    'elasticjob.jobs.j.props[\'run.maxRetries\']: must be an integer from 0 to 100, got "many"',
  ],
  [
    E('ELASTICJOB_JOBS_J_PROPS_RUN_MAXRETRY', '3'),
    "elasticjob.jobs.j.props: must not have the key 'run.maxretry', which means nothing; did you mean 'run.maxRetries'?, got keys with values",
  ],
  [
    E('ELASTICJOB_JOBS_J_JOBLISTENERTYPES', '[a,b]'),
    'elasticjob.jobs.j.jobListenerTypes: unknown job listener "a"; known are: none (from environment variable ELASTICJOB_JOBS_J_JOBLISTENERTYPES)',
  ],
  [
    E('ELASTICJOB_JOBS_J_TIMEZONE', 'GMT+8:00:00'),
    "elasticjob.jobs.j.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai'; allowed are GMT with an offset up to 23:59 ('GMT+8', 'GMT+08:0",
  ],
  [
    E('ELASTICJOB_JOBS_J_PROPS', 'a=b'),
    'elasticjob.jobs.j.props: must be keys with texts (key: text), got a string that is not shown (from environment variable ELASTICJOB_JOBS_J_PROPS)',
  ],
  [
    Y('elasticjob:\n  jobs:\n    j: 5'),
    'elasticjob.jobs.j: must be keys with values (key: value), got a number that is not shown',
  ],
  [Y('elasticjob:\n  jobs: [j]'), 'elasticjob.jobs: must be keys with values (key: value), got a list'],
  [Y('elasticjob:\n  job:\n    j: {}'), "elasticjob.job: unknown key; did you mean 'jobs'?"],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      cron: * * * * *'),
    "is not valid YAML: Alias cannot be an empty string at line 4, column 13; a text that begins with '*' must be quoted",
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      failover: yes'),
    'elasticjob.jobs.j.failover: must be true or false, got "yes"',
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      shardingTotalCount: 0o3'),
    'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got "0o3"',
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      shardingTotalCount: 03'),
    'elasticjob.jobs.j.shardingTotalCount: must not begin with 0, got "03": Java reads it as an octal number; write 3 if that is meant',
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      shardingTotalCount: 3.5'),
    'elasticjob.jobs.j.shardingTotalCount: must be an integer of at least 1, got 3.5',
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      shardingTotalCount: ${N}'),
    'elasticjob.jobs.j.shardingTotalCount: has the placeholder ${N}, for which neither the environment nor the file has a value; set it, write ${N:default}',
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      jobParameter: !!binary aGk='),
    'elasticjob.jobs.j.jobParameter: must be a text, got an instance of Buffer',
  ],
  [Y('elasticjob:\n  jobs:\n    j:\n      <<: 5'), 'is not valid YAML: Merge sources must be maps or map aliases'],
  [Y('elasticjob:\n\tjobs: {}'), 'is not valid YAML: Tabs are not allowed as indentation at line 2, column 1'],
  [Y('elasticjob:\n  jobs:\n    j: {}\n    j: {}'), 'is not valid YAML: Map keys must be unique at line 4, column 5'],
  [
    Y('elasticjob:\n  jobs:\n    null: {}'),
    "is not valid YAML: a key is empty or null at line 3, column 5; a key of the name null is written in quotes: 'null'",
  ],
  [Y('elasticjob: &a\n  jobs: *a'), 'is not valid YAML: *a lies within its own anchor &a at line 2, column 9'],
  [Y('jobs:\n  j: {}'), "has no top-level key 'elasticjob'"],
  [Y('elastic-jobs: {}'), "has no top-level key 'elasticjob', but 'elastic-jobs'; did you mean 'elasticjob'?"],
  [Y('- elasticjob'), "must have the key 'elasticjob', got a list"],
  [Y(''), "must have the key 'elasticjob', got null"],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      props:\n        a: [1]'),
    "elasticjob.jobs.j.props: must be keys with texts (key: text), but 'a' is a list, got keys with values",
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      shardingItemParameters: {5: x}'),
    'elasticjob.jobs.j.shardingItemParameters: must only name items from 0 to 2, as shardingTotalCount is 3, but names item 5, got keys with values',
  ],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      timeZone: "GMT+8 "'),
    "elasticjob.jobs.j.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai'; allowed are GMT with an offset up to 23:59 ('GMT+8', 'GMT+08:0",
  ],
  [
    Y('spring:\n  elasticjob: {}'),
    "has no top-level key 'elasticjob', but 'spring.elasticjob', as starters for ElasticJob 2 have it; docs/settings.md has the names of today",
  ],
  [Y('---\nelasticjob: {}\n---\nx: 1'), 'is not valid YAML: it has more than one document at line 3, column 1'],
  [
    Y('elasticjob:\n  jobs:\n    j:\n      ? {a: b}\n      : c'),
    'is not valid YAML: a key must be a text at line 4, column 9',
  ],
  [
    P('elasticjob.jobs.j.cron="0 0 * * * ?"'),
    'elasticjob.jobs.j.cron: must not stand in quotes: nothing removes them here, so that they would be part of the value; leave them out, or set it in YAM',
  ],
  [
    P("elasticjob.jobs.j.shardingTotalCount='3'"),
    'elasticjob.jobs.j.shardingTotalCount: must not stand in quotes: nothing removes them here, so that they would be part of the value; leave them out, or',
  ],
  [P('elasticjob.jobs.j.crom=x'), "elasticjob.jobs.j.crom: unknown key; did you mean 'cron'?"],
  [
    P('elasticjob.jobs.a.b.c.cron=0 0 * * * ?'),
    "elasticjob.jobs.a.b: unknown key; if 'a.b…' is the name of one job, write it in brackets: jobs[a.b…]",
  ],
  [
    P('elasticjob.jobs.j=x'),
    'elasticjob.jobs.j: must be keys with values (key: value), got a string that is not shown',
  ],
  [
    P('elasticjob.jobs.j.cron.x=1'),
    "elasticjob.jobs.j.cron: must be a cron expression such as '0/5 * * * * ?', got keys with values",
  ],
  [
    P('elasticjob.jobs.j.jobListenerTypes[1]=a'),
    'elasticjob.jobs.j.jobListenerTypes: must be a list of texts that are not empty, got keys with values',
  ],
  [
    P('elasticjob.regCenter.serverLists=zk:2181'),
    "elasticjob.regCenter.namespace: is required with serverLists or url or endpoints and must be a name like 'orders'; set it in forRoot({ regCenter: { namespace } }), as ela",
  ],
  [P('elasticjob.jobs.j.failover=yes'), 'elasticjob.jobs.j.failover: must be true or false, got "yes"'],
  [P('elasticjob=x'), "must have keys with values (key: value) under 'elasticjob', got a string that is not shown"],
  [P('jobs.j.cron=x'), "has no top-level key 'elasticjob'"],
  [
    P('elasticjob.jobs.j.shardingItemParameters[a]=x'),
    "elasticjob.jobs.j.shardingItemParameters: must be a text like '0=Beijing,1=Shanghai', a list of texts, or texts by item (0: Beijing), but '[a]' is not",
  ],
];

test('each wrong input is refused with its setting, its value and what would be right', () => {
  const answers = ROWS.map(([given, said]) => ({ given, said: refusalOf(given).slice(0, said.length) }));

  expect(answers).toEqual(ROWS.map(([given, said]) => ({ given, said })));
});

test.each<Given>([
  O({ autostart: true }),
  D({ timezone: 'UTC' }),
  D({ cron: '0 0 0 * * *' }),
  Y('elasticjob:\n  jobs:\n    j:\n      failover: True'),
  E('ELASTICJOB_JOBS_J_CRON', ' '),
])('%j is right', (given) => {
  expect(refusalOf(given)).toBe('accepted');
});
