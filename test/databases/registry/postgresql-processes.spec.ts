/** Processes that share a registry on PostgreSQL, and are killed or frozen. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { Program, root } from '../../support/program.js';
import { until } from '../../support/until.js';
import { newName, openPostgresql } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const server = serverOf('postgres');
const TYPESCRIPT = pathToFileURL(join(root, '.config/typescript.mjs')).href;

/** A process that has registered, and a centre of the test that looks on. */
async function stage() {
  const namespace = newName();
  const onlooker = await openPostgresql(server, { namespace });
  const process = new Program('test/databases/support/registry-process.ts', {
    args: ['--import', TYPESCRIPT],
    words: [`postgres://postgres@127.0.0.1:${server.port}/postgres`, namespace],
  });
  await until(() => process.output.includes('registered'), 'the process has registered', 60_000);
  const mirror = await onlooker.centre.mirror('/job');
  return {
    ...{ process, mirror, nodes: () => [...mirror.nodes.keys()].filter((path) => path !== '/job') },
    [Symbol.asyncDispose]: async () => {
      await process[Symbol.asyncDispose]();
      await onlooker.close();
    },
  };
}

test('the node of a process that is killed is swept by another one', async () => {
  await using each = await stage();
  expect(each.nodes()).toHaveLength(1);

  each.process.signal('SIGKILL');

  await until(() => each.nodes().length === 0, 'the node is gone', 20_000);
});

test('a process that was frozen for too long finds its session lost before anything else, and registers again', async () => {
  await using each = await stage();
  const [first] = each.mirror.nodes.values();

  each.process.signal('SIGSTOP');
  await until(() => each.nodes().length === 0, 'the node is gone', 20_000);
  each.process.signal('SIGCONT');
  await until(() => each.nodes().length === 1, 'the process has registered again', 20_000);

  const states = each.process.output
    .trim()
    .split('\n')
    .filter((line) => line !== 'connecting' && line !== 'suspended');
  expect(states).toEqual(['connected', 'registered', 'lost', 'connected', 'registered']);
  expect(first).toBeDefined();
});
