/** The settings file of an application in Java, and what Java's starter has stored because of it. */
import { expect, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { type OneOffJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { InjectOneOffJob } from '../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../lib/nest/elastic-job.health.js';
import { JobConflictError } from '../../lib/api/errors/errors.js';
import { ZookeeperRegistryCenter } from '../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { started } from '../unit/nest/application.js';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { until } from '../support/until.js';
import { metadataOf, NAMESPACE, running } from './application.js';
import { applicationYml, javaStarter } from './fixtures.js';
import { MonthlyReportJob, Stopwatch, SyncOrdersJob } from './jobs.js';

const zookeeper = sharedZooKeeper();
const providers = [SyncOrdersJob, MonthlyReportJob, Stopwatch];
const options = { executors: [{ type: 'PRINT', process: () => undefined }] };
const asInJava = { file: applicationYml, options, providers };

/** The stored text with the defaults of Java's starter. */
const withDocumentedDefaults = (path: string, text: string): string =>
  path !== '/printer/config'
    ? text
    : text
        .replace('misfire: false', 'misfire: true')
        .replace('monitorExecution: false', 'monitorExecution: true')
        .replace('reconcileIntervalMinutes: 0', 'reconcileIntervalMinutes: 10');

const expected = Object.entries(javaStarter).map(([path, text]) => [path, withDocumentedDefaults(path, text)]);

test('it boots here unchanged, and stores byte for byte what Java stores, except for three defaults', async () => {
  await using app = await running(asInJava);

  const stored = Object.keys(javaStarter).map((path) => [path, app.node(path)]);

  expect(stored).toHaveLength(8);
  expect(stored).toEqual(expected);
});

test('it does the same on a real ZooKeeper, with the credentials of the file', async () => {
  const namespace = zookeeper.namespace();
  const file = applicationYml
    .replace('localhost:2181', zookeeper.servers)
    .replace('namespace: orders', `namespace: ${namespace}`);
  await using app = await started(metadataOf({ ...asInJava, file }));
  await until(() => app.get(ElasticJobHealth).report.ready, 'the jobs to take part');
  const reader = new ZookeeperRegistryCenter({ serverLists: zookeeper.servers, namespace, digest: 'orders:secret' });
  reader.connect();

  const stored = await Promise.all(
    Object.keys(javaStarter).map(async (path) => [path, await reader.get(path)] as const),
  );

  expect(stored).toEqual(expected);
  await reader.close();
});

test('it joins the jobs that Java has stored, and does not change them', async () => {
  const server = new EmbeddedRegistryServer();
  for (const [path, text] of Object.entries(javaStarter)) server.namespace(NAMESPACE).put('java', path, text);

  await using app = await running(asInJava, server);

  expect(Object.keys(javaStarter).map((path) => [path, app.node(path)])).toEqual(Object.entries(javaStarter));
  expect(app.stored('printer').monitorExecution).toBe(false);
});

test('a job whose class is not the one that Java has stored is refused, and with failOnJobError the application', async () => {
  const server = new EmbeddedRegistryServer();
  for (const [path, text] of Object.entries(javaStarter)) server.namespace(NAMESPACE).put('java', path, text);
  const file = applicationYml.replace('org.acme.MonthlyReportJob', 'MonthlyReportJob');

  const booting = running({ ...asInJava, file, options: { ...asInJava.options, failOnJobError: true } }, server);

  await expect(booting).rejects.toThrow(JobConflictError);
  await expect(booting).rejects.toThrow("class is 'org.acme.MonthlyReportJob', your job class is 'monthly-report'");
});

test('its one-off job is injected by the name of its bean, and runs its items when it is executed', async () => {
  @Injectable()
  class Accounting {
    constructor(@InjectOneOffJob('monthlyReport') readonly report: OneOffJobBootstrap) {}
  }
  await using application = await running({ ...asInJava, providers: [...providers, Accounting] });
  const job = application.app.get(MonthlyReportJob);

  await application.app.get(Accounting).report.execute();

  await until(() => job.items.length === 2, 'both items to run');
  expect(job.items.sort()).toEqual([0, 1]);
});
