import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CommandStage, type Outcome, TestTerminal } from './stage.js';

let stage: CommandStage;
beforeEach(async () => {
  stage = await CommandStage.open();
  await stage.store();
});
afterEach(() => stage[Symbol.asyncDispose]());

const servers = () => Promise.all(['10.0.0.1', '10.0.0.2'].map((ip) => stage.get(`/bill/servers/${ip}`)));
const instances = () => stage.registry.children('/bill/instances');

/** Instances that take triggers, and are done at once, or run an item for ever. */
async function acceptTriggers(runs: 'nothing' | 'item 1' = 'nothing'): Promise<() => void> {
  const mirror = await stage.registry.mirror('/bill/trigger');
  return mirror.onChange(() => {
    for (const path of mirror.nodes.keys()) if (path !== '/bill/trigger') void stage.registry.remove(path);
    if (runs === 'item 1') void stage.registry.put('/bill/sharding/1/running', '10.0.0.2@-@2-a');
  });
}

describe('trigger', () => {
  test('says what each instance makes of it', async () => {
    const end = await acceptTriggers();

    const { out, exitCode } = await stage.run('trigger bill --reason late');

    expect(out).toMatch(/^SERVER {4}INSTANCE {8}ANSWER\n10\.0\.0\.1 {2}10\.0\.0\.1@-@1-a {2}taken {3}runs its items\n/);
    expect(exitCode).toBe(0);
    end();
  });

  test('waits for the runs, and prints the record of the operation as JSON', async () => {
    const end = await acceptTriggers();

    const { out, err, exitCode } = await stage.run('trigger bill --wait --json --reason late');

    expect(JSON.parse(out)).toMatchObject({
      jobName: 'bill',
      ended: true,
      instances: [{ answer: 'taken' }, { answer: 'taken' }],
      record: { operation: 'trigger', reason: 'late', outcome: 'done' },
    });
    expect([err, exitCode]).toEqual(['', 0]);
    end();
  });

  test('that waits longer than it may says which items still run, and ends with another code', async () => {
    const end = await acceptTriggers('item 1');

    const { err, exitCode } = await stage.run('trigger bill --wait --wait-timeout 1500ms');

    expect(err).toContain('triggered items of job');
    expect(exitCode).toBe(8);
    end();
  });

  test('that no instance runs, as Java instances drop it while they are busy, has an exit code of its own', async () => {
    const end = await acceptTriggers();
    for (const item of [0, 1])
      await stage.registry.put(`/bill/sharding/${item}/running`, `10.0.0.${item + 1}@-@${item + 1}-a`);

    const { out, err, exitCode } = await stage.run('trigger bill --wait');

    expect(out).toMatch(/busy +drops the trigger/);
    expect([err, exitCode]).toEqual(['No instance runs it: see the answers.\n', 4]);
    end();
  });

  test('hands a parameter of its own to the instances', async () => {
    // Java instances do not know such parameters.
    for (const id of await instances()) await stage.registry.put(`/bill/x-node/live/${id}`, '');

    const { exitCode } = await stage.run('trigger bill --parameter region=north --json');

    expect(exitCode).toBe(0);
    expect(await stage.get('/bill/trigger/10.0.0.1@-@1-a')).toContain('region=north');
  });

  test('runs the named items only, at their owners', async () => {
    for (const id of await instances()) await stage.registry.put(`/bill/x-node/live/${id}`, '');

    const { out, exitCode } = await stage.run('trigger bill --items 1');

    expect(exitCode).toBe(0);
    expect(out).toMatch(/^10\.0\.0\.2 .* runs those of the items that it owns/m);
    expect(out).not.toContain('10.0.0.1@-@1-a');
    expect(await stage.registry.children('/bill/trigger')).toEqual(['10.0.0.2@-@2-a']);
    expect(await stage.get('/bill/trigger/10.0.0.2@-@2-a')).toBe('{"items":"1"}');
  });

  test.each(['', 'x', '3-', '1,,2', '7-3', '0-999999'])('refuses the items %j', async (items) => {
    const { err, exitCode } = await stage.run(`trigger bill --items=${items}`);

    expect(err).toContain('It must be items such as 3 or 0-3,7.');
    expect(exitCode).toBe(2);
  });

  test('of a job without an instance changes nothing', async () => {
    for (const id of await instances()) await stage.registry.remove(`/bill/instances/${id}`);

    const { err, exitCode } = await stage.run('trigger bill');

    expect(err).toContain('no instance of it lives');
    expect(exitCode).toBe(4);
  });
});

describe('disable and enable', () => {
  test('a job on all its servers', async () => {
    const { out } = await stage.run('disable bill');

    expect(out).toBe("Disabled job 'bill' on all its servers (2 servers).\n");
    expect(await servers()).toEqual(['DISABLED', 'DISABLED']);

    expect((await stage.run('enable bill')).out).toBe("Enabled job 'bill' on all its servers (2 servers).\n");
    expect(await servers()).toEqual(['ENABLED', 'ENABLED']);
  });

  test('a server of one job, and of all jobs', async () => {
    await stage.run('disable bill --server 10.0.0.2');
    expect(await servers()).toEqual(['ENABLED', 'DISABLED']);

    expect((await stage.run('disable --server 10.0.0.1')).out).toBe('Disabled all jobs on server 10.0.0.1 (1 job).\n');
    expect(await servers()).toEqual(['DISABLED', 'DISABLED']);
  });

  test('a job on a server that has an IPv6 address', async () => {
    await stage.registry.put('/bill/servers/2001:db8::7', 'ENABLED');

    const { out } = await stage.run('disable bill --server 2001:db8::7');

    expect(out).toBe("Disabled job 'bill' on server 2001:db8::7 (1 server).\n");
    expect(await stage.get('/bill/servers/2001:db8::7')).toBe('DISABLED');
    expect(await servers()).toEqual(['ENABLED', 'ENABLED']);
    expect((await stage.run('servers')).out).toContain('2001:db8::7');
    await stage.registry.remove('/bill/servers/2001:db8::7');
  });

  test('a job on a server that is still to come, if that is said', async () => {
    const { out } = await stage.run('disable bill --server 10.0.0.7 --unknown-server');

    expect(out).toBe("Disabled job 'bill' on server 10.0.0.7 (1 server).\n");
    expect(await stage.get('/bill/servers/10.0.0.7')).toBe('DISABLED');
  });

  test('an item', async () => {
    expect((await stage.run('disable bill --item 1')).out).toBe("Disabled item 1 of job 'bill'.\n");
    expect(await stage.get('/bill/sharding/1/disabled')).toBe('');

    const { out } = await stage.run('enable bill --item 1 --json --reason repaired');

    expect(JSON.parse(out)).toMatchObject({ enabled: [{ jobName: 'bill', item: 1 }], record: { reason: 'repaired' } });
    expect(await stage.get('/bill/sharding/1/disabled')).toBeUndefined();
  });

  test.each([
    ['disable', 'Name a job, a server', 2],
    ['disable --item 1', 'Items belong to a job', 2],
    ['disable bill --item 1 --server 10.0.0.1', 'Items belong to a job', 2],
    ['disable bill --item 7', 'has items 0 to 1, got 7', 4],
    ['disable bill --item one', 'from 0 to 100000', 2],
    ['disable --server 10.0.0.7', 'No job in /orders has a server 10.0.0.7', 4],
    ['disable bill --server 10.0.0.7', 'No job in /orders has a server 10.0.0.7', 4],
    ['disable --server 10.0.0.7 --unknown-server', 'No job in /orders has a server 10.0.0.7', 4],
    ['enable bill --server undefined', 'has a server undefined', 4],
    ['shutdown bill --server 10.0.0.7 --yes', 'No job in /orders has a server 10.0.0.7', 4],
    ['remove --server 10.0.0.7 --yes', 'No job in /orders has a server 10.0.0.7', 4],
    ['jobs --server 10.0.0.7', 'No job in /orders has a server 10.0.0.7', 4],
    ['trigger bill --server 10.0.0.7', 'no instance of it lives on a server 10.0.0.7', 4],
    ['disable bil', "did you mean 'bill'", 3],
  ])('%s is refused', async (line, message, code) => {
    const { out, err, exitCode } = await stage.run(line);

    expect(err).toContain(message);
    expect([out, exitCode]).toEqual(['', code]);
    expect(await servers()).toEqual(['ENABLED', 'ENABLED']);
  });
});

describe('what cannot be undone asks first:', () => {
  const COMMANDS: readonly (readonly [line: string, question: string, isDone: () => Promise<boolean>])[] = [
    [
      'shutdown bill',
      "Shut down job 'bill' on all its servers (2 instances), in ",
      async () => (await instances()).length === 0,
    ],
    [
      'shutdown bill --server 10.0.0.1',
      "Shut down job 'bill' on server 10.0.0.1 (1 instance), in ",
      async () => (await instances()).length === 1,
    ],
    [
      'shutdown --server 10.0.0.1',
      'Shut down all jobs on server 10.0.0.1 (1 instance), in ',
      async () => (await instances()).length === 1,
    ],
    [
      'remove bill --living',
      "Remove job 'bill' with its configuration, and shut down 2 instances, in ",
      async () => (await stage.get('/bill')) === undefined,
    ],
    [
      'remove bill --server 10.0.0.1',
      "Remove server 10.0.0.1 from job 'bill', and shut down 1 instance there, in ",
      async () => (await servers())[0] === undefined,
    ],
    [
      'remove --server 10.0.0.1',
      'Remove server 10.0.0.1 from all jobs, and shut down 1 instance there, in ',
      async () => (await servers())[0] === undefined,
    ],
  ];

  test.each(COMMANDS)('%s does it if the answer is yes', async (line, question, isDone) => {
    const terminal = new TestTerminal({ answers: ['y'] });

    expect(await stage.runOn(terminal, line)).toBe(0);

    expect(terminal.questions).toEqual([expect.stringContaining(question)]);
    expect(await isDone()).toBe(true);
  });

  test.each(COMMANDS)('%s does it without asking if --yes is given', async (line, _, isDone) => {
    expect((await stage.run(`${line} --yes`)).exitCode).toBe(0);
    expect(await isDone()).toBe(true);
  });

  const isUntouched = async ({ out }: Outcome): Promise<void> => {
    expect(out).toBe('');
    expect(await servers()).toEqual(['ENABLED', 'ENABLED']);
    expect(await instances()).toHaveLength(2);
    expect(await stage.get('/bill/config')).toBeDefined();
  };

  test.each(COMMANDS)('%s changes nothing if there is no terminal to ask on', async (line, question) => {
    const outcome = await stage.run(line);

    expect(outcome.err).toContain(question);
    expect(outcome.err).toContain('There is no terminal to ask on: give --yes to do it. Nothing was changed.');
    expect(outcome.exitCode).toBe(5);
    await isUntouched(outcome);
  });

  test.each(['n', '', 'yessir'])('it changes nothing if the answer is %j', async (answer) => {
    const outcome = await stage.run('remove bill --living', { answers: [answer] });

    expect(outcome.err).toBe('elasticjob: Not confirmed. Nothing was changed.\n');
    expect(outcome.exitCode).toBe(5);
    await isUntouched(outcome);
  });

  test('it changes nothing after Ctrl-C', async () => {
    const outcome = await stage.run('remove bill --living', { answers: [undefined] });

    expect(outcome.exitCode).toBe(130);
    await isUntouched(outcome);
  });

  test('a job with living instances is not removed, and nobody is asked, unless they are named', async () => {
    const refused = await stage.run('remove bill', { answers: ['y'] });
    const misplaced = await stage.run('remove bill --server 10.0.0.1 --living --yes');

    expect(refused.err).toContain(
      "Job 'bill' was not removed: 2 instances of it live (10.0.0.1@-@1-a, 10.0.0.2@-@2-a).",
    );
    expect(refused.exitCode).toBe(4);
    await isUntouched(refused);
    expect((await stage.run('remove bill --yes')).exitCode).toBe(4);
    expect(misplaced.exitCode).toBe(2);
    await isUntouched(misplaced);
    for (const id of await instances()) await stage.registry.remove(`/bill/instances/${id}`);
    expect((await stage.run('remove bill', { answers: ['y'] })).exitCode).toBe(0);
  });

  test('it is not asked about what is not there', async () => {
    expect((await stage.run('remove bil', { answers: ['y'] })).exitCode).toBe(3);
    expect((await stage.run('shutdown', { answers: ['y'] })).exitCode).toBe(2);
  });
});

describe('prune', () => {
  beforeEach(async () => {
    await stage.registry.put('/bill/servers/10.0.0.8', 'ENABLED');
    await stage.registry.put('/bill/servers/10.0.0.9', 'DISABLED');
  });

  test('lists servers without an instance, asks, and removes them; disabled ones stay', async () => {
    const dry = await stage.run('prune --dry-run');
    expect(dry).toEqual({ out: 'JOB   SERVER\nbill  10.0.0.8\n', err: '', exitCode: 0 });
    expect(await stage.get('/bill/servers/10.0.0.8')).toBe('ENABLED');

    expect((await stage.run('prune')).exitCode).toBe(5);
    expect(await stage.get('/bill/servers/10.0.0.8')).toBe('ENABLED');

    const { err } = await stage.run('prune bill', { answers: ['yes'] });
    expect(err).toBe('Removed 1 server.\n');
    expect(await stage.get('/bill/servers/10.0.0.8')).toBeUndefined();
    expect(await stage.get('/bill/servers/10.0.0.9')).toBe('DISABLED');
  });

  test('takes disabled ones if it is told to', async () => {
    const { out } = await stage.run('prune --yes --include-disabled --json');

    expect(JSON.parse(out)).toMatchObject({
      removed: [{ serverIp: '10.0.0.8' }, { serverIp: '10.0.0.9' }],
      record: { operation: 'prune-servers' },
    });
    expect((await stage.run('prune --yes')).err).toBe('Each server has a living instance, or is disabled.\n');
  });
});
