import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EXIT } from '../../../lib/cli/exit-codes.js';
import { CommandStage } from './stage.js';

let stage: CommandStage;
beforeEach(async () => {
  stage = await CommandStage.open();
  await stage.store();
  await stage.store({ jobName: '同步订单' });
});
afterEach(() => stage[Symbol.asyncDispose]());

/** The words that are offered for the last one of these. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out, err, exitCode } = await stage.run(['complete', '--', ...words]);
  expect([err, exitCode]).toEqual(['', EXIT.done]);
  return out.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

describe('completion offers', () => {
  test('commands, also those of config', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['jobs', 'trigger', 'config', 'completion', 'help']));
    expect(await offered('')).not.toContain('complete');
    expect(await offered('s')).toEqual(['servers', 'shutdown', 'skip', 'stop']);
    expect(await offered('config', '')).toEqual(['get', 'set', 'edit', 'diff', 'help']);
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  test('options of the command, and those of all commands', async () => {
    expect(await offered('trigger', 'bill', '--wa')).toEqual(['--wait', '--wait-timeout']);
    expect(await offered('jobs', '--')).toEqual(expect.arrayContaining(['--server', '--json', '--tls-ca', '--help']));
  });

  test('jobs, where a job is named', async () => {
    expect(await offered('items', '')).toEqual(['bill', '同步订单']);
    expect(await offered('items', '同')).toEqual(['同步订单']);
    expect(await offered('--json', 'config', 'get', '--timeout', '5s', 'b')).toEqual(['bill']);
    expect(await offered('next', '--job', 'b')).toEqual(['bill']);
    expect(await offered('items', '--namespace', 'elsewhere', '')).toEqual([]);
    expect(await offered('items', '--namespace=elsewhere', '')).toEqual([]);
    expect(await offered('items', '--namespace=orders', '')).toEqual(['bill', '同步订单']);
  });

  test('nothing where the shell knows better, nor if the registry centre cannot be reached', async () => {
    expect(await offered('jobs', '--config', '')).toEqual([]);
    expect(await offered('items', 'bill', '')).toEqual([]);

    const { out, err } = await stage.run(['complete', '--', 'items', ''], {}, { environment: {} });
    expect([out, err]).toEqual(['', '']);
  });
});

test.each(['bash', 'zsh', 'fish'])('completion %s prints a script that asks the hidden command', async (shell) => {
  const { out, exitCode } = await stage.run(`completion ${shell}`);

  expect(out).toContain(' complete -- ');
  expect(out.includes('complete -c elasticjob -l config -r -F\n')).toBe(shell === 'fish');
  expect(exitCode).toBe(0);
});

test('another shell is refused', async () => {
  const { err, exitCode } = await stage.run('completion tcsh');

  expect(err).toContain('bash, zsh, fish');
  expect(exitCode).toBe(2);
});
