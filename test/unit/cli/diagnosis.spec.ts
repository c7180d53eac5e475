import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CommandStage } from './stage.js';

let stage: CommandStage;
beforeEach(async () => {
  stage = await CommandStage.open();
  await stage.store();
  await stage.registry.put('/bill/leader/election/instance', '10.0.0.1@-@1-a');
});
afterEach(() => stage[Symbol.asyncDispose]());

describe('explain', () => {
  test('says why an item does not run, and what to do', async () => {
    await stage.registry.put('/bill/sharding/1/disabled', '');

    const { out, exitCode } = await stage.run('explain bill 1');

    expect(out).toMatch(/^Item 1 .*disabled.*\n {2}Cure: .*enable/);
    expect(exitCode).toBe(0);
    expect(JSON.parse((await stage.run('explain bill 1 --json')).out)).toMatchObject({
      jobName: 'bill',
      item: 1,
      reason: { type: 'item-disabled', items: [1], holds: 'now' },
    });
  });

  test('says why it did not run for an instant, and what cannot be known', async () => {
    const { out } = await stage.run('explain bill 0 --at 2026-01-01T00:00:00Z');

    expect(out).toContain('2026-01-01');
    expect(JSON.parse((await stage.run('explain bill --at 2026-01-01T00:00:00Z --json')).out)).toMatchObject({
      instant: '2026-01-01T00:00:00.000Z',
      reason: { type: 'not-scheduled' },
    });
  });

  test('breaks sentences to fit the terminal', async () => {
    await stage.registry.put('/bill/sharding/1/disabled', '');

    const { out } = await stage.run('explain bill 1 --no-color', { columns: 40 });

    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test('of a job that is not there has the exit code for that', async () => {
    const { out, exitCode } = await stage.run('explain bil');

    expect(out).toContain("'bill'");
    expect(exitCode).toBe(3);
  });

  test.each(['explain bill one', 'explain bill 0 --at soon'])('%s is wrong usage', async (line) => {
    expect((await stage.run(line)).exitCode).toBe(2);
  });
});

describe('doctor', () => {
  const DOCTOR = 'doctor --settle 1ms';

  test('finds nothing wrong with a healthy namespace', async () => {
    const { out } = await stage.run(`${DOCTOR} --json`);
    const { findings } = JSON.parse(out) as {
      findings: readonly { readonly severity: string; readonly type: string }[];
    };

    expect(findings.filter(({ severity, type }) => severity === 'critical' && type !== 'persistent-node')).toEqual([]);
  });

  test('lists what is wrong with consequence and cure, with exit code 1', async () => {
    for (const id of await stage.registry.children('/bill/instances'))
      await stage.registry.remove(`/bill/instances/${id}`);

    const { out, exitCode } = await stage.run(DOCTOR);

    expect(out).toMatch(/^SEVERITY {2}JOB {3}FINDING\n\w+ +bill {2}[^\n]+\n {16}Consequence: [^\n]+\n {16}Cure: /);
    expect(exitCode).toBe(1);
    const narrow = await stage.run(`${DOCTOR} --no-color`, { columns: 80 });
    expect(Math.max(...narrow.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('mends after a confirmation, and not without', async () => {
    await stage.registry.put('/bill/servers/10.0.0.9', 'ENABLED');
    await stage.registry.put('/bill/sharding/0/failover', '10.0.0.9@-@9-z');
    const findings = JSON.parse((await stage.run(`${DOCTOR} --json`)).out) as {
      findings: readonly { readonly type: string; readonly fix?: string }[];
    };
    const fixable = findings.findings.filter(({ fix }) => fix !== undefined);
    expect(fixable.length).toBeGreaterThan(0);

    const refused = await stage.run(`${DOCTOR} --fix`);
    expect(refused).toMatchObject({
      exitCode: 5,
      err: expect.stringMatching(/Mend \d+ findings? as described\? There is no terminal/) as unknown,
    });

    const mended = await stage.run(`${DOCTOR} --fix --reason tidy`, { answers: ['y'] });
    expect(mended.err.match(/^(Mended|Over already): bill: /gm)).toHaveLength(fixable.length);
    const after = await stage.run(`${DOCTOR} --fix --json --yes`);
    expect(JSON.parse(after.out)).toMatchObject({ fixed: [] });
  });

  test('of a job that is not there is refused', async () => {
    expect((await stage.run('doctor bil')).exitCode).toBe(3);
  });
});
