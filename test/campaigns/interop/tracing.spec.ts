import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type JobExecutionEvent } from '../../../lib/api/events/trace-events.js';
import { placed } from '../../databases/support/java.js';
import { DatabaseServer } from '../../databases/support/servers.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { JAVA_VERSIONS } from './support/java.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { type PeerRun } from './support/run-log.js';
import { TIME_ZONE, TracedCluster } from './support/traced-cluster.js';

const zooKeeper = sharedZooKeeper();
let server: DatabaseServer;

// Installing the server takes minutes where it is missing.
beforeAll(async () => void (server = await DatabaseServer.start('postgres')), 600_000);
afterAll(() => server[Symbol.asyncDispose]());

/** A job that runs only when it is triggered. Short sessions show a crash soon. */
async function open(): Promise<TracedCluster> {
  const options = { job: { cron: undefined }, sessionMs: 2_000 };
  return TracedCluster.open(await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), options), server);
}

/** A text with the task, the item and the outcome of a run. */
const ofRun = ({ task, item, outcome }: PeerRun): string => `${task} ${item} ${outcome === 'ended'}`;
const ofRow = ({ taskId, shardingItem, success }: JobExecutionEvent): string => `${taskId} ${shardingItem} ${success}`;
const taskOf = (runs: readonly PeerRun[], name: string): string => runs.findLast(({ by }) => by === name)!.task;
/** Of how many firings these are runs of a task: each of its items runs once in each. */
const firingsOf = (runs: readonly PeerRun[], task: string): number =>
  runs.filter((run, _, all) => run.task === task && run.item === all.find((each) => each.task === task)!.item).length;

/** The block of a stored configuration that only Java can read. */
const extraConfigurations = (yaml: string | undefined): string | undefined =>
  yaml?.match(/^jobExtraConfigurations:\n(?:[- ].*\n)+/m)?.[0];

describe('Java has made the tables, and Node writes them too', () => {
  let traced: TracedCluster;
  let configuration: string | undefined;
  let tables: readonly (readonly string[])[] = [];

  beforeAll(async () => {
    traced = await open();
    await traced.start('J1');
    configuration = await traced.cluster.reader.value('/job/config');
    tables = [await traced.columns(), await traced.indexes()];
    await traced.start('N1');
  });
  afterAll(() => traced[Symbol.asyncDispose]());

  test('each item of each firing has one completed row, and each run of an instance its states', async () => {
    const { since, runs } = await traced.fire(3);

    const rows = await traced.executions(12, since);

    expect(rows.map(ofRow).sort()).toEqual(runs.map(ofRun).sort());
    for (const { jobName, source, hostname, failureCause } of rows)
      expect([jobName, source, hostname, failureCause]).toEqual([
        'job',
        'NORMAL_TRIGGER',
        rows[0]!.hostname,
        undefined,
      ]);
    for (const name of ['J1', 'N1']) {
      const { ip } = traced.cluster.peer(name);
      const task = taskOf(runs, name);
      const items = runs.filter((run) => run.task === task).map(({ item }) => item);
      const states = await traced.states(task, 3 * firingsOf(runs, task), since);
      expect(rows.filter(({ taskId }) => taskId === task).every((row) => row.ip === ip)).toBe(true);
      for (const state of ['TASK_STAGING', 'TASK_RUNNING', 'TASK_FINISHED'])
        expect(states.filter((each) => each.state === state)).toHaveLength(firingsOf(runs, task));
      for (const { slaveId, executionType, originalTaskId, shardingItems } of states)
        expect([slaveId, executionType, originalTaskId, new Set(shardingItems)]).toEqual([
          ip,
          'READY',
          '',
          new Set(items),
        ]);
    }
  });

  test('both write the wall-clock time of their zone', async () => {
    const { since, runs } = await traced.fire();

    const rows = await traced.executions(4, since);

    for (const { item, startedAt, endedAt = Infinity } of runs) {
      const row = rows.find(({ shardingItem }) => shardingItem === item)!;
      const [start, end] = [new Date(row.startTime), new Date(row.completeTime!)].map((time) => time.getTime());
      expect(Math.abs(start! - startedAt)).toBeLessThan(1_000);
      expect(Math.abs(end! - endedAt)).toBeLessThan(1_000);
    }
    const [{ hours }] = await traced.sql.query<[{ hours: number }]>(
      `SELECT EXTRACT(EPOCH FROM MAX(start_time) - (NOW() AT TIME ZONE '${TIME_ZONE}')) / 3600 AS hours FROM JOB_EXECUTION_LOG`,
    );
    expect(Math.abs(hours)).toBeLessThan(0.1);
  });

  test('a failing item of each says why', async () => {
    for (const name of ['J1', 'N1']) await traced.cluster.peer(name).fail();
    const { since, runs } = await traced.fire();
    for (const name of ['J1', 'N1']) await traced.cluster.peer(name).fail('*', false);

    const rows = await traced.executions(4, since);

    expect(rows.map(ofRow).sort()).toEqual(runs.map(ofRun).sort());
    for (const { success, failureCause, shardingItem } of rows) {
      expect(success).toBe(false);
      expect(failureCause).toMatch(new RegExp(`Item ${shardingItem} was told to fail[^]*\\n\\s+at `));
    }
    for (const name of ['J1', 'N1']) {
      const task = taskOf(runs, name);
      const states = await traced.states(task, 3, since);
      const errors = states.filter(({ state }) => state === 'TASK_ERROR');
      expect(errors.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^\{\d=[^]*was told to fail[^]*\}$/),
      ]);
    }
  });

  test("ElasticJob's own statements find and change rows of Node", async () => {
    const { since, runs } = await traced.fire();
    const rows = await traced.executions(4, since);
    const task = taskOf(runs, 'N1');
    await traced.states(task, 3, since);
    const sql = (await traced.cluster.peer('J1').process.ask('properties', 'META-INF/sql/PostgreSQL.properties')) as {
      readonly [name: string]: string;
    };
    const statement = (name: string): string => placed('postgres', sql[name]!);
    const row = rows.findLast(({ taskId }) => taskId === task)!;

    const original = await traced.sql.query<readonly object[]>(
      statement('JOB_STATUS_TRACE_LOG.SELECT_ORIGINAL_TASK_ID'),
      [task],
    );
    const found = await traced.sql.query<readonly object[]>(statement('JOB_STATUS_TRACE_LOG.SELECT'), [task]);
    const updated = await traced.sql.query<[unknown, number]>(statement('JOB_EXECUTION_LOG.UPDATE_FAILURE'), [
      ...[false, row.completeTime, 'changed by ElasticJob', row.id],
    ]);

    expect(original).toEqual([{ original_task_id: '' }]);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(found[0]).toMatchObject({
      task_id: task,
      // 3.0.5 has no such column.
      ...(JAVA_VERSIONS[0] === '3.0.4' && { source: 'LITE_EXECUTOR' }),
    });
    expect(updated[1]).toBe(1);
    const after = (await traced.executions(4, since)).find(({ id }) => id === row.id);
    expect(after).toMatchObject({ success: false, failureCause: 'changed by ElasticJob' });
  });

  test('the tables, and what Java has stored of its tracing in the configuration, stay as they are', async () => {
    const { cluster } = traced;
    expect(tables[1]).toEqual(['task_id_state_index']);
    expect([await traced.columns(), await traced.indexes()]).toEqual(tables);
    expect(extraConfigurations(configuration)).toMatch(/YamlTracingConfiguration[^]*HikariDataSource[^]*type: RDB\n/);
    expect(await cluster.reader.value('/job/config')).toBe(configuration);

    await cluster.peer('N1').stop();
    await cluster.peer('N1').begin({ ...cluster.job, overwrite: true, description: 'by Node' });

    const stored = await cluster.reader.value('/job/config');
    expect(stored).toMatch(/^description: by Node$/m);
    expect(extraConfigurations(stored)).toBe(extraConfigurations(configuration));
  });
});

describe('Node has made the tables, and Java writes them too', () => {
  let traced: TracedCluster;
  let tables: readonly (readonly string[])[] = [];

  beforeAll(async () => {
    traced = await open();
    await traced.start('N1', false);
    // The first use makes the tables.
    await traced.executions(0);
    tables = [await traced.columns(), await traced.indexes()];
    await traced.start('J1');
    await traced.cluster.peer('N1').begin(traced.cluster.job);
  });
  afterAll(() => traced[Symbol.asyncDispose]());

  test('each item of each firing has one completed row', async () => {
    const { since, runs } = await traced.fire(2);

    expect((await traced.executions(8, since)).map(ofRow).sort()).toEqual(runs.map(ofRun).sort());
    expect([await traced.columns(), await traced.indexes()]).toEqual(tables);
  });

  test('if Node has stored the configuration first, Java does not trace the job, unless it overwrites it', async () => {
    const [kept, overwritten] = [await traced.other('kept'), await traced.other('overwritten')];
    for (const { cluster } of [kept, overwritten]) {
      await cluster.peer('N1').begin(cluster.job);
      await cluster.peer('J1').begin({ ...cluster.job, overwrite: cluster.job.jobName === 'overwritten' });
      await cluster.untilSharedBy('J1', 'N1');
    }

    // The job that is traced comes second: when its rows are there, those of the first one would be there, too.
    const ofNode = (await kept.fire()).runs.filter(({ by }) => by === 'N1');
    const { runs: ofBoth } = await overwritten.fire();

    expect((await overwritten.executions(4)).map(ofRow).sort()).toEqual(ofBoth.map(ofRun).sort());
    expect((await kept.executions(2)).map(ofRow).sort()).toEqual(ofNode.map(ofRun).sort());
  });

  test('the row of an item in whose midst a Java instance was killed is completed by Node', async () => {
    const { cluster } = traced;
    await traced.fire();
    const items = (await cluster.owners())['J1']!;
    await cluster.peer('J1').block();
    const since = Date.now();
    await cluster.peer('N1').execute();
    await cluster.untilRan('all items to be begun', (runs) => runs.length === 4, since);
    // Java's row has to be there.
    await until(async () => (await traced.executions(2, since)).length === 4, 'all items to have their rows');

    await cluster.peer('J1').kill();
    const ended = (runs: readonly PeerRun[]): readonly PeerRun[] => runs.filter(({ outcome }) => outcome === 'ended');
    await cluster.untilRan('the items to be run again', (runs) => ended(runs).length === 4, since);
    const rows = await traced.executions(6, since);

    const java = cluster.runs(since).filter(({ by }) => by === 'J1');
    const lost = rows.filter(({ taskId }) => taskId === java[0]!.task);
    expect(lost.map(({ shardingItem }) => shardingItem).sort()).toEqual(items);
    for (const { success, failureCause } of lost)
      expect([success, failureCause]).toEqual([false, expect.stringContaining('of Java has stopped, died')]);
    const again = rows.filter(({ source }) => source === 'FAILOVER');
    expect(again.map(ofRow).sort()).toEqual(cluster.runs(since).slice(4).map(ofRun).sort());
  });
});
