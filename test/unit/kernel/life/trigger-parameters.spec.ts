/** Manual runs with a job parameter of their own. */
import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type ElasticJobListener } from '../../../../lib/api/extensions/job-listener.js';
import { type TriggerOptions } from '../../../../lib/kernel/life/job-trigger.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { TestCluster } from '../../../../lib/testing/index.js';
import { joinJavaInstance } from '../../../support/java-instance.js';
import { idOf } from '../../../support/views.js';

/** Triggers as the application does. */
async function trigger(cluster: TestCluster, options?: TriggerOptions): Promise<void> {
  const { bootstrap } = cluster.member('A');
  await (bootstrap instanceof OneOffJobBootstrap ? bootstrap.execute(options) : bootstrap.trigger(options));
  await cluster.settle();
}

/** `A0 manual Beijing`: the instance, the item, the instant, and the parameter that the job was given. */
const told = ({ runs }: TestCluster): string[] =>
  runs.map(({ instance, item, at, context }) => `${instance}${item} ${at} ${context.jobParameter}`).sort();

const JOB = { jobParameter: 'everywhere' };

describe('a manual run with a job parameter of its own', () => {
  test.each(['0/5 * * * * ?', ''])('is given it on all instances, and later runs are not; cron: %j', async (cron) => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { ...JOB, cron } });
    await trigger(cluster, { jobParameter: 'Beijing' });
    expect(told(cluster)).toEqual(['A1 manual Beijing', 'B0 manual Beijing']);
    cluster.forget();

    await trigger(cluster);

    expect(told(cluster)).toEqual(['A1 manual everywhere', 'B0 manual everywhere']);
  });

  test.each(['', ' "{}\n', '北京 🚀'])('is given exactly that: %j', async (jobParameter) => {
    await using cluster = await TestCluster.start(['A'], { job: { ...JOB, shardingTotalCount: 1 } });
    await trigger(cluster, { jobParameter });

    expect(cluster.runs.map(({ context }) => context.jobParameter)).toEqual([jobParameter]);
  });

  test('gives it to the listeners, too', async () => {
    const parameters: string[] = [];
    const listener: ElasticJobListener = {
      type: 'KEEP',
      beforeJobExecuted: ({ jobParameter }: { readonly jobParameter: string }): void =>
        void parameters.push(jobParameter),
      afterJobExecuted: (): void => undefined,
    };
    await using cluster = await TestCluster.start(['A'], {
      job: { ...JOB, jobListenerTypes: ['KEEP'] },
      host: { listeners: [listener] },
    });
    await trigger(cluster, { jobParameter: 'Beijing' });
    await cluster.fire();

    expect(parameters).toEqual(['Beijing', 'everywhere']);
  });

  test('follows the run of an item that is busy; those with the same parameter are one, others are run in turn', async () => {
    const end = new Deferred();
    await using cluster = await TestCluster.start(['A'], {
      job: { ...JOB, shardingTotalCount: 2 },
      work: (_, { shardingItem, scheduledAt }) => (shardingItem === 0 && scheduledAt ? end.promise : undefined),
    });
    await cluster.fire();
    for (const jobParameter of ['Beijing', 'Shanghai', 'Beijing']) await trigger(cluster, { jobParameter });
    await trigger(cluster);
    expect(told(cluster).filter((run) => run.startsWith('A0'))).toEqual(['A0 00:00:05 everywhere']);
    end.resolve();
    await cluster.settle();

    expect(cluster.runs.filter(({ item }) => item === 0).map(({ context }) => context.jobParameter)).toEqual([
      'everywhere',
      'Beijing',
      'Shanghai',
      'everywhere',
    ]);
  });

  test('that is taken over after a crash is given it again, even if its item is begun for a later firing meanwhile', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { ...JOB, cron: '0 0 * * * ?', failover: true },
      work: (instance, { scheduledAt }) =>
        instance === 'B' && scheduledAt === undefined ? new Promise(() => {}) : undefined,
    });
    await trigger(cluster, { jobParameter: 'Beijing' });
    expect(told(cluster)).toEqual(['A1 manual Beijing', 'B0 manual Beijing']);
    cluster.kill('B');
    await cluster.advance('30s');

    expect(told(cluster)).toEqual(['A0 manual Beijing', 'A1 manual Beijing', 'B0 manual Beijing']);
  });

  test('is given it also by an instance that takes over from one that had taken over', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], {
      job: { ...JOB, cron: '0 0 * * * ?', shardingTotalCount: 3, failover: true },
      work: (instance, { shardingItem }) =>
        shardingItem === 1 && instance !== 'A' ? new Promise(() => {}) : undefined,
    });
    await trigger(cluster, { jobParameter: 'Beijing' });
    for (let round = 0; round < 2; round++) {
      const stuck = cluster.runs.find(({ outcome }) => outcome === 'running')?.instance;
      if (stuck !== undefined) cluster.kill(stuck);
      await cluster.advance('30s');
    }

    const ofItem1 = cluster.runs.filter(({ item }) => item === 1);
    expect(ofItem1.at(-1)).toMatchObject({ instance: 'A', outcome: 'completed' });
    expect(ofItem1.map(({ context }) => context.jobParameter)).toEqual(ofItem1.map(() => 'Beijing'));
  });
});

describe('a trigger with a job parameter triggers no instance', () => {
  test('if a Java instance takes part, and says which and what to do', async () => {
    await using cluster = await TestCluster.start(['A'], { job: JOB });
    await joinJavaInstance(cluster, 'J');

    await expect(trigger(cluster, { jobParameter: 'Beijing' })).rejects.toThrow(
      `Job 'job' was not triggered: the Java instances ${idOf('J')} take part, and would run without the jobParameter. ` +
        'Trigger it without one after changing the jobParameter of its settings, or stop them.',
    );
    await cluster.settle();
    expect(cluster.view.triggers.size).toBe(0);
    await trigger(cluster);
    expect(cluster.runs.length).toBeGreaterThan(0);
  });

  test('while another trigger waits for one of them', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: JOB });
    cluster.freeze('B');
    await trigger(cluster);
    cluster.forget();

    await expect(trigger(cluster, { jobParameter: 'Beijing' })).rejects.toThrow(
      "Job 'job' was not triggered: an instance has not accepted a trigger with another job parameter yet " +
        `(${cluster.paths.trigger(idOf('B'))}). Try again in a moment`,
    );
    await cluster.settle();
    expect(cluster.runs).toEqual([]);
  });
});

test.each(['applied', 'not-applied'] as const)(
  'a trigger whose removal gets no answer (%s), twice, is run with its job parameter, once',
  async (outcome) => {
    await using cluster = await TestCluster.start(['A'], {
      job: { ...JOB, cron: '0 0 * * * ?', shardingTotalCount: 1 },
    });
    const { faults, session } = cluster.member('A').registry;
    await cluster.operator.create(cluster.paths.triggers, '');
    let isBack = false;
    session.onChange(({ phase }) => {
      if (phase === 'connected' && !isBack) faults.loseNextWrite(outcome);
      isBack ||= phase === 'connected';
    });
    faults.loseNextWrite(outcome);
    await cluster.operator.create(cluster.paths.trigger(idOf('A')), '{"jobParameter":"Beijing"}');
    await cluster.advance('30s');

    expect(isBack).toBe(true);
    expect(told(cluster)).toEqual(['A0 manual Beijing']);
  },
);

test('a trigger without a parameter is refused while one with a parameter waits, as it would be lost', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], { job: { ...JOB, cron: '0 0 * * * ?' } });
  cluster.freeze('B');
  await trigger(cluster, { jobParameter: 'Beijing' });

  await expect(trigger(cluster)).rejects.toThrow(
    "Job 'job' was not triggered: an instance has not accepted a trigger with another job parameter yet " +
      `(${cluster.paths.trigger(idOf('B'))}).`,
  );
});

test.each<[TriggerOptions | undefined]>([[undefined], [{ jobParameter: 'Beijing' }]])(
  'a trigger that comes when a new session is not registered yet waits for that; %j',
  async (options) => {
    await using cluster = await TestCluster.start(['A'], { job: { ...JOB, cron: '', shardingTotalCount: 1 } });
    const { registry } = cluster.member('A');
    let triggered: Promise<void> | undefined;
    registry.session.onChange(({ phase }) => {
      if (phase === 'connected') triggered ??= trigger(cluster, options);
    });
    registry.faults.expire();
    registry.faults.resume();
    await cluster.advance('30s');
    await triggered;

    expect(told(cluster)).toEqual([`A0 manual ${options?.jobParameter ?? 'everywhere'}`]);
  },
);

test('a job parameter that is too long for so many instances is refused, with what to do', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], { job: JOB, limits: { bytes: 20_000 } });

  await expect(trigger(cluster, { jobParameter: 'x'.repeat(10_000) })).rejects.toThrow(
    "Job 'job' was not triggered: its jobParameter of 10000 characters is too long for 2 instances, which are triggered in one commit: ",
  );
});

test('a job with a schedule is triggered by trigger(), and has no execute()', async () => {
  await using cluster = await TestCluster.start(['A'], { job: JOB });
  const { bootstrap } = cluster.member('A');

  expect(bootstrap).toBeInstanceOf(ScheduleJobBootstrap);
  expect('execute' in bootstrap).toBe(false);
});
