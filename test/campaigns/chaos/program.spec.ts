import { expect, test } from '@jest/globals';
import { Program } from '../../support/program.js';

test('a campaign refuses a registry centre of a kind that it does not know, and names those that it does', async () => {
  await using program = new Program('test/campaigns/chaos/main.mjs', { words: ['--registry', 'redis'] });

  expect(await program.end()).toBe(2);
  expect(program.output).toBe('--registry: redis is not one of zookeeper, postgresql, etcd\n');
});
