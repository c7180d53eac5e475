// A process with two jobs on ZooKeeper: `tick` fires each second, and `burn` computes until it is stopped, where WHERE
// says: on the main thread, or in a worker.
import { writeSync } from 'node:fs';
import { jobConfiguration, JobHost, OneOffJobBootstrap, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { ZookeeperRegistryCenter } from 'nestjs-elasticjob/registry';
import burn from './burn.mjs';

const { WHERE, SERVERS: serverLists, NAMESPACE: namespace } = process.env;
const say = (line) => writeSync(1, `${line}\n`);
const logger = { debug: () => {}, log: say, warn: say, error: say };
const registryCenter = new ZookeeperRegistryCenter({ serverLists, namespace, sessionTimeoutMilliseconds: 4000 });
registryCenter.connect();
const host = new JobHost({ registryCenter, logger });

const tick = { execute: ({ scheduledAt }) => say(`tick ${scheduledAt?.getTime()}`) };
const second = jobConfiguration({ jobName: 'tick', cron: '* * * * * ?', shardingTotalCount: 1 });
await new ScheduleJobBootstrap(registryCenter, tick, second, { host }).schedule();

const work = WHERE === 'worker' ? { worker: new URL('./burn.mjs', import.meta.url) } : { execute: burn };
const once = jobConfiguration({ jobName: 'burn', shardingTotalCount: 1 });
await new OneOffJobBootstrap(registryCenter, work, once, { host }).execute();
