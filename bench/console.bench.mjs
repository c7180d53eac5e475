// How long the console takes to list very many jobs, over HTTP: `--jobs 5000 --rounds 100`. Its table is read once;
// pages cost the registry centre nothing.
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobConfiguration } from 'nestjs-elasticjob';
import { EmbeddedRegistryCenter } from 'nestjs-elasticjob/registry';
import { ElasticJobConsoleModule } from '../dist/modules/console/index.js';
import { toYaml } from '../dist/modules/layout/job-configuration-yaml.js';
import { instanceYaml, jobInstanceOn } from '../dist/modules/layout/job-instance.js';

const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '100' } },
  strict: false,
});
const JOBS = Number(values.jobs);
const ROUNDS = Number(values.rounds);
const GOAL_MS = 300;
const ITEMS = 3;
const PASSWORD = 'a password of the bench';

const registry = new EmbeddedRegistryCenter({ namespace: 'bench' });
registry.connect();
while (registry.session.state.phase !== 'connected') await new Promise((resolve) => setImmediate(resolve));
await storeJobs();

class BenchModule {}
const users = [{ username: 'bench', role: 'admin', password: PASSWORD }];
const registries = [{ name: 'main', registryCenter: new EmbeddedRegistryCenter({ namespace: 'bench' }) }];
Module({ imports: [ElasticJobConsoleModule.forRoot({ users, registries })] })(BenchModule);
const app = await NestFactory.create(BenchModule, { logger: false });
await app.listen(0, '127.0.0.1');
const origin = `http://127.0.0.1:${app.getHttpServer().address().port}/elasticjob`;
try {
  const headers = { cookie: await login() };
  const page = '/api/v1/registries/main/jobs?limit=1000';
  await measure(`a page of 1,000 of ${JOBS} jobs with ${ITEMS} items, sorted by the next firing`, () =>
    list(`${page}&sort=next`, headers),
  );
  await measure(
    `all ${JOBS} jobs, page after page`,
    async () => {
      let found = 0;
      for (let cursor = ''; cursor !== undefined;) {
        const { items, nextCursor } = await list(`${page}&cursor=${cursor}`, headers);
        found += items.length;
        cursor = nextCursor;
      }
      if (found !== JOBS) throw new Error(`The list has ${found} jobs`);
    },
    Math.ceil(ROUNDS / 5),
  );
} finally {
  await app.close();
  await registry.close();
}

async function list(path, headers) {
  const response = await fetch(origin + path, { headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

async function login() {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-ejc': '1' };
  const body = JSON.stringify({ username: 'bench', password: PASSWORD });
  const response = await fetch(`${origin}/api/v1/auth/login`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function storeJobs() {
  const instances = ['10.0.0.1', '10.0.0.2'].map((ip) => jobInstanceOn(ip, '4711-k3j9x2ab'));
  for (let number = 0; number < JOBS; number++) {
    const name = `job-${number}`;
    const configuration = JobConfiguration.newBuilder(name, ITEMS)
      .cron(`${number % 60} ${number % 59} 0/1 * * ?`)
      .description('Copies the orders of a region')
      .build();
    await registry.put(`/${name}/config`, toYaml(configuration));
    for (const instance of instances) {
      await registry.put(`/${name}/instances/${instance.jobInstanceId}`, instanceYaml(instance));
      await registry.put(`/${name}/servers/${instance.serverIp}`, 'ENABLED');
    }
    for (let item = 0; item < ITEMS; item++)
      await registry.put(`/${name}/sharding/${item}/instance`, instances[item % 2].jobInstanceId);
  }
}

async function measure(what, work, rounds = ROUNDS) {
  await work();
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    // One after the other: the time of one page is wanted.
    await work();
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  const [half, most] = [0.5, 0.95].map((part) => times[Math.ceil(times.length * part) - 1]);
  console.log(
    `${what}: 50 % within ${half.toFixed(0)} ms, 95 % within ${most.toFixed(0)} ms${most <= GOAL_MS ? '' : ` (goal: ${GOAL_MS} ms)`}`,
  );
}
