/**
 * Holds the page "Running beside Java" against the code: each row of its tables has a check here, and each check a row.
 */
import { describe, expect, test } from '@jest/globals';
import { DEPENDENCY_OPTIONS } from '../../lib/api/settings/dependency-options.js';
import { RUN_LIMITS } from '../../lib/api/settings/run-limits.js';
import { settingsOf } from '../../lib/api/settings/setting.js';
import { JobOptions } from '../../lib/api/job/job-options.js';
import { beanChecks } from './checks/beans.js';
import { bootstrapChecks } from './checks/bootstraps.js';
import { annotationChecks, builderChecks, namespaceChecks } from './checks/code.js';
import { kindChecks, listenerChecks } from './checks/jobs.js';
import { operationChecks } from './checks/operations.js';
import { pitfallChecks } from './checks/pitfalls.js';
import { jobChecks, moduleChecks, tracingAndDumpChecks } from './checks/starter.js';
import { typeChecks } from './checks/types.js';
import { javaSurface } from './fixtures.js';
import { SAMPLES } from './jobs.js';
import { type Checks, knownFaults, page, tables } from './page.js';

/** The checks of each table that says what becomes of something. */
const checks: Readonly<Record<string, Checks>> = {
  'Pitfalls of a shared configuration': pitfallChecks,
  'elasticjob in application.yml': moduleChecks,
  'elasticjob.jobs.<jobName> in application.yml': jobChecks,
  'elasticjob.tracing and elasticjob.dump in application.yml': tracingAndDumpChecks,
  'Beans of the starter': beanChecks,
  Annotations: annotationChecks,
  'JobConfiguration and its builder': builderChecks,
  'Bootstraps and the registry centre': bootstrapChecks,
  'Kinds of jobs': kindChecks,
  Listeners: listenerChecks,
  'Types and extension points': typeChecks,
  'Lifecycle API': operationChecks,
  'Spring namespace': namespaceChecks,
};

/** Tables without checks. */
const PROSE = ['Joining a Java job', 'Versions'];

test('each table of the page is known here', () => {
  expect([...tables.keys()].sort()).toEqual([...Object.keys(checks), ...PROSE].sort());
});

describe.each(Object.entries(checks))('%s:', (heading, ofRows) => {
  const rows = tables.get(heading) ?? [];

  test('each row has a check, and each check a row', () => {
    expect(Object.keys(ofRows).sort()).toEqual(rows.map(({ java }) => java).sort());
  });

  test.each(rows.map((row) => [row.java, row] as const))('%s', async (java, row) => {
    const check = ofRows[java];

    expect(check).toBeDefined();
    await check?.(row);
  });
});

describe('everything has a row', () => {
  const starter = 'in application.yml';
  const parts: readonly (readonly [surface: string, heading: string, (name: string) => string])[] = [
    ['starter.reg-center', `elasticjob ${starter}`, (name) => `reg-center.${name}`],
    ['starter.jobs', `elasticjob.jobs.<jobName> ${starter}`, (name) => name],
    ['starter.tracing', `elasticjob.tracing and elasticjob.dump ${starter}`, (name) => `tracing.${name}`],
    ['starter.dump', `elasticjob.tracing and elasticjob.dump ${starter}`, (name) => `dump.${name}`],
    ['annotation', 'Annotations', (name) => name],
    ['builder', 'JobConfiguration and its builder', (name) => `${name}(`],
    ['ZookeeperConfiguration', 'Bootstraps and the registry centre', (name) => `${name}(`],
    ['ShardingContext', 'Kinds of jobs', (name) => `ShardingContext.${name}(`],
    ['ShardingContexts', 'Listeners', (name) => `ShardingContexts.${name}(`],
    ...Object.keys(javaSurface)
      .filter((name) => name.endsWith('API') || name === 'JobAPIFactory')
      .map((name) => [name, 'Lifecycle API', (method: string) => `${name}.${method}(`] as const),
  ];

  test.each(parts)('that Java has in its %s', (surface, heading, keyOf) => {
    const rows = tables.get(heading) ?? [];
    const names = javaSurface[surface] ?? [];

    const missing = names.filter((name) => !rows.some(({ java }) => java.startsWith(keyOf(name))));

    expect(names.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  test('that a job of ours can be set', () => {
    const ofJava = [...settingsOf(JobOptions).keys()].filter(
      (name) => !(name in RUN_LIMITS || name in DEPENDENCY_OPTIONS),
    );

    expect(Object.keys(SAMPLES).sort()).toEqual(ofJava.sort());
  });
});

describe('the page knows faults of Java peers', () => {
  test('each by a name of its own', () => {
    const names = knownFaults.map(({ name }) => name);

    expect(names.length).toBeGreaterThan(30);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(knownFaults.map((fault) => [fault.name, fault] as const))(
    '%s: with its versions, what happens, and what to do',
    (_, { versions, items }) => {
      expect(versions).toMatch(/\d.*\((seen|read)\)$/);
      expect(Object.keys(items)).toEqual(['What Java does', 'What Node instances do', 'What you should do']);
      for (const text of Object.values(items)) expect(text).toMatch(/^[A-Z].*\.$/s);
    },
  );
});

test('each row that is "not there yet" says what happens to users of it', () => {
  const rows = [...tables.values()].flat().filter(({ cells }) => cells['Here'] === 'not there yet');
  const silent = rows.filter(({ cells }) => Object.values(cells).slice(1).join('') === '');

  expect(rows.length).toBeGreaterThan(3);
  expect(silent).toEqual([]);
  expect(page).toContain('_Not there yet_: this version has nothing like it');
});
