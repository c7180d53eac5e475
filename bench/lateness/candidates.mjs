// The candidates that can fire many jobs at one second, each used as its documentation says. A candidate is a function
// that starts the jobs and returns a function that stops them. `seconds` are those of the minute at which the jobs
// fire, or undefined: then they fire on 1 January only.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { peer } from '../support/peers.mjs';

const silent = { debug() {}, log() {}, warn() {}, error: console.error };

/**
 * How many jobs of a BullMQ worker run at the same time. Its default is 1, which its documentation raises for short
 * jobs.
 */
export const BULLMQ_CONCURRENCY = 100;

/** The candidates by name: `title` for people, `needs` the server it uses, `peer` is true for another project. */
export const CANDIDATES = {
  bare: { title: 'bare setTimeout', start: bareTimers },
  croner: { title: 'croner', peer: 'croner', start: croner },
  schedule: { title: '@nestjs/schedule', peer: '@nestjs/schedule', start: nestSchedule },
  bullmq: { title: 'BullMQ job schedulers, Redis', peer: 'bullmq', needs: 'redis', start: bullMq },
  ...ours('embedded', 'embedded'),
  ...ours('zookeeper', 'ZooKeeper'),
};

function ours(registry, words) {
  const entries = [false, true].flatMap((monitorExecution) =>
    ['', 'Nest'].map((host) => {
      const monitored = monitorExecution ? 'monitored' : 'unmonitored';
      const start = host === 'Nest' ? elasticJobsInNest : elasticJobs;
      return [
        `${registry}-${monitored}${host && '-nest'}`,
        {
          title: `library, ${words}, ${monitored}${host && ', in Nest'}`,
          needs: registry === 'zookeeper' ? registry : undefined,
          start: (settings) => start({ ...settings, registry, monitorExecution }),
        },
      ];
    }),
  );
  return Object.fromEntries(entries);
}

function cronOf(seconds) {
  return seconds === undefined ? '0 0 0 1 1 *' : `${seconds.join(',')} * * * * *`;
}

function quartzOf(seconds) {
  return seconds === undefined ? '0 0 0 1 1 ?' : `${seconds.join(',')} * * * * ?`;
}

function names(jobs) {
  return Array.from({ length: jobs }, (_, index) => `job-${index}`);
}

/** The best that a Node process can do. */
function bareTimers({ jobs, seconds, note }) {
  const timers = new Map();
  const arm = (name) => {
    const fire = () => {
      arm(name);
      note();
    };
    timers.set(name, setTimeout(fire, msUntilNext(seconds)));
  };
  if (seconds !== undefined) names(jobs).forEach(arm);
  return () => timers.forEach((timer) => clearTimeout(timer));
}

function msUntilNext(seconds) {
  const now = Date.now();
  // A timer may fire a millisecond early; the instant it fired for must not come again.
  const inMinute = (now + 100) % 60_000;
  const next = seconds.map((second) => second * 1_000).find((ms) => ms > inMinute) ?? seconds[0] * 1_000 + 60_000;
  return next - inMinute + 100;
}

async function croner({ jobs, seconds, note }) {
  const { Cron } = await peer('croner');
  const all = names(jobs).map(() => new Cron(cronOf(seconds), note));
  return () => all.forEach((each) => each.stop());
}

/** A provider with a method decorated by `@Cron` for each job. */
async function nestSchedule({ jobs, seconds, note }) {
  const { Cron, ScheduleModule } = await import('@nestjs/schedule');
  const providers = names(jobs).map(() => {
    class Job {
      run() {
        note();
      }
    }
    Cron(cronOf(seconds))(Job.prototype, 'run', Object.getOwnPropertyDescriptor(Job.prototype, 'run'));
    Injectable()(Job);
    return Job;
  });
  return boot({ imports: [ScheduleModule.forRoot()], providers });
}

async function bullMq({ jobs, seconds, note, redisPort, namespace }) {
  const { Queue, Worker } = await peer('bullmq');
  const connection = { host: '127.0.0.1', port: redisPort };
  const queue = new Queue(namespace, { connection });
  const worker = new Worker(namespace, async () => note(), {
    connection: { ...connection, maxRetriesPerRequest: null },
    concurrency: BULLMQ_CONCURRENCY,
  });
  await worker.waitUntilReady();
  const upsert = (name) =>
    queue.upsertJobScheduler(name, { pattern: cronOf(seconds) }, { opts: { removeOnComplete: true } });
  await Promise.all(names(jobs).map(upsert));
  return async () => {
    await worker.close();
    await queue.close();
  };
}

async function elasticJobs({ registry, jobs, seconds, note, monitorExecution, zooKeeper, namespace }) {
  const library = await import('nestjs-elasticjob');
  const { EmbeddedRegistryCenter, JobHost, jobConfiguration, ScheduleJobBootstrap, ZookeeperRegistryCenter } = library;
  const registryCenter =
    registry === 'embedded'
      ? new EmbeddedRegistryCenter({ namespace })
      : new ZookeeperRegistryCenter({ serverLists: zooKeeper, namespace });
  registryCenter.connect();
  const host = new JobHost({ registryCenter, logger: silent });
  const start = (jobName) => {
    const settings = { jobName, cron: quartzOf(seconds), shardingTotalCount: 1, monitorExecution };
    return new ScheduleJobBootstrap(registryCenter, { execute: note }, jobConfiguration(settings), {
      ...{ host, jobClassName: 'BenchJob' },
    }).schedule();
  };
  await Promise.all(names(jobs).map(start));
  return async () => {
    await host.stop();
    await registryCenter.close();
  };
}

/** A provider decorated by `@ElasticJob` for each job. */
async function elasticJobsInNest({ registry, jobs, seconds, note, monitorExecution, zooKeeper, namespace }) {
  const { ElasticJob, ElasticJobModule } = await import('nestjs-elasticjob');
  const providers = names(jobs).map((jobName) => {
    class Job {
      execute() {
        note();
      }
    }
    ElasticJob(jobName, { cron: quartzOf(seconds), shardingTotalCount: 1, monitorExecution })(Job);
    return Job;
  });
  const regCenter = registry === 'embedded' ? {} : { regCenter: { serverLists: zooKeeper, namespace } };
  return boot({ imports: [ElasticJobModule.forRoot(regCenter)], providers });
}

async function boot(metadata) {
  class Application {}
  Module(metadata)(Application);
  const application = await NestFactory.createApplicationContext(Application, { logger: ['error', 'fatal'] });
  application.enableShutdownHooks();
  return () => application.close();
}
