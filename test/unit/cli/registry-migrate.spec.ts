import { expect, test } from '@jest/globals';
import { CommandStage, type Outcome } from './stage.js';

async function dryRun(words: string, environment: Readonly<Record<string, string>>): Promise<Outcome> {
  await using stage = await CommandStage.open();
  return stage.run(`registry migrate --dry-run ${words}`, {}, { environment });
}

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['', {}, 'elasticjob'],
  ['', { ELASTICJOB_REGCENTER_URL: 'postgres://db/app', ELASTICJOB_REGCENTER_SCHEMA: 'jobs' }, 'jobs'],
  ['', { ELASTICJOB_REGCENTER_DATASOURCE: 'main', ELASTICJOB_REGCENTER_SCHEMA: 'jobs' }, 'jobs'],
  ['', { ELASTICJOB_REGCENTER_SCHEMA: 'jobs' }, 'jobs'],
  ['', { ELASTICJOB_REGCENTER_SERVERLISTS: 'zoo:2181' }, 'elasticjob'],
  ['--servers zoo:2181', {}, 'elasticjob'],
  ['--registry postgres://db/app', { ELASTICJOB_REGCENTER_SCHEMA: 'jobs' }, 'jobs'],
  [
    '--registry reports',
    { ELASTICJOB_REGCENTERS_REPORTS_URL: 'postgres://db/app', ELASTICJOB_REGCENTERS_REPORTS_SCHEMA: 'jobs' },
    'jobs',
  ],
  ['--schema mine', { ELASTICJOB_REGCENTER_SCHEMA: 'jobs', ELASTICJOB_REGCENTER_URL: 'no URL' }, 'mine'],
])(
  'the SQL of registry migrate --dry-run %s with the environment %j is about schema %s',
  async (words, environment, schema) => {
    const { out, err, exitCode } = await dryRun(words, environment);

    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    expect(/CREATE SCHEMA IF NOT EXISTS "(\w+)"/.exec(out)?.[1]).toBe(schema);
    expect(out).toContain(`INSERT INTO "${schema}".ej_schema`);
  },
);

test('a schema in the settings that PostgreSQL does not take is refused, and no SQL is printed', async () => {
  expect(await dryRun('', { ELASTICJOB_REGCENTER_SCHEMA: 'x'.repeat(80) })).toEqual({
    out: '',
    err: expect.stringContaining('elasticjob.regCenter.schema: '),
    exitCode: 2,
  });
});
