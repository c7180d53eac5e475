/** The page's claims about actions are true: each claim has a proof here, and a changed claim needs a new one. */
import { expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { en } from '../../../../lib/console/ui/i18n/en.js';
import { zh } from '../../../../lib/console/ui/i18n/zh.js';
import { TestCluster, type TestClusterOptions } from '../../../../lib/testing/index.js';
import { letTimePass, operationsOn } from '../../operations/stage.js';

/** A cluster whose items run until the test ends them. */
async function busyCluster(names: readonly string[], options: TestClusterOptions = {}) {
  const ends: Deferred[] = [];
  const work = (): Promise<void> => {
    const end = new Deferred();
    ends.push(end);
    return end.promise;
  };
  const cluster = await TestCluster.start(names, { ...options, work });
  return { cluster, endRuns: () => ends.splice(0).forEach((end) => end.resolve()) };
}

const completed = (cluster: TestCluster): number =>
  cluster.runs.filter(({ outcome }) => outcome === 'completed').length;

type Proof = () => Promise<void>;

/** A proof for a claim about an action that ends instances while they run items. */
function bringsRunsToTheirEnd(
  end: (operations: ReturnType<typeof operationsOn>, cluster: TestCluster) => Promise<unknown>,
): Proof {
  return async () => {
    const { cluster: opened, endRuns } = await busyCluster(['A']);
    await using cluster = opened;
    await cluster.fire();
    const ending = end(operationsOn(cluster), cluster);
    await cluster.advance('1s');
    endRuns();
    await letTimePass(cluster, ending);
    expect(completed(cluster)).toBe(2);
    cluster.forget();
    await cluster.advance('1h');
    expect(cluster.runs).toEqual([]);
    // Only the restart of a process brings it back.
    await cluster.leave('A');
    await cluster.join('A');
    await cluster.fire();
    expect(cluster.runs).not.toEqual([]);
  };
}

const disableOfJob: Proof = async () => {
  const { cluster: opened, endRuns } = await busyCluster(['A']);
  await using cluster = opened;
  const { jobs } = operationsOn(cluster);
  await cluster.fire();
  await jobs.disable({ jobName: 'job' });
  await cluster.settle();
  endRuns();
  await cluster.settle();
  expect(completed(cluster)).toBe(2);
  cluster.forget();
  await cluster.leave('A');
  await cluster.join('A');
  await cluster.fire();
  expect(cluster.runs).toEqual([]);
  await cluster.join('B');
  await cluster.fire();
  expect(Object.keys(cluster.ran)).toEqual(['B']);
};

const enableOfJob: Proof = async () => {
  await using cluster = await TestCluster.start(['A']);
  const { jobs } = operationsOn(cluster);
  await jobs.disable({ jobName: 'job' });
  await cluster.fire();
  expect(cluster.ran).toEqual({});
  await jobs.enable({ jobName: 'job' });
  await cluster.settle();
  expect(cluster.ran).toEqual({});
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0, 1] });
};

const settingsAtStart: Proof = async () => {
  await disableOfJob();
  for (const [job, ran] of [
    [{ overwrite: true }, { A: [0, 1] }],
    [{ disabled: true, overwrite: true }, {}],
  ] as const) {
    await using cluster = await TestCluster.start(['A'], { job });
    const { jobs } = operationsOn(cluster);
    await jobs[job.overwrite && !('disabled' in job) ? 'disable' : 'enable']({ jobName: 'job' });
    await cluster.leave('A');
    await cluster.join('A');
    await cluster.fire();
    expect(cluster.ran).toEqual(ran);
  }
};

const ofServer =
  (action: 'disable' | 'enable', proof: Proof): Proof =>
  async () => {
    await proof();
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);
    await jobs.disable({ serverIp: cluster.ipOf('A') });
    if (action === 'enable') await jobs.enable({ serverIp: cluster.ipOf('A') });
    await cluster.fire();
    expect(Object.keys(cluster.ran).sort()).toEqual(action === 'enable' ? ['A', 'B'] : ['B']);
  };

const disableOfItem: Proof = async () => {
  const { cluster: opened, endRuns } = await busyCluster(['A']);
  await using cluster = opened;
  const { items } = operationsOn(cluster);
  await cluster.fire();
  await items.disable('job', 0);
  endRuns();
  await cluster.settle();
  expect(completed(cluster)).toBe(2);
  cluster.forget();
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [1] });
};

const enableOfItem: Proof = async () => {
  await using cluster = await TestCluster.start(['A']);
  const { items } = operationsOn(cluster);
  await items.disable('job', 0);
  await cluster.fire();
  cluster.forget();
  await items.enable('job', 0);
  expect(cluster.ran).toEqual({});
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0, 1] });
};

/** An item, or a job, runs once now; if it is busy, once more afterwards. */
const trigger =
  (options: { readonly items?: readonly number[] }): Proof =>
  async () => {
    const wanted = options.items?.length ?? 2;
    const { cluster: opened, endRuns } = await busyCluster(['A', 'B'], { job: { cron: '0 0 0 1 1 ?' } });
    await using cluster = opened;
    const { jobs } = operationsOn(cluster);
    const first = await letTimePass(cluster, jobs.trigger('job', options));
    expect(cluster.runs).toHaveLength(wanted);
    const second = await letTimePass(cluster, jobs.trigger('job', options));
    expect(cluster.runs).toHaveLength(wanted);
    endRuns();
    await cluster.settle();
    expect(cluster.runs).toHaveLength(2 * wanted);
    endRuns();
    await cluster.settle();
    expect(cluster.runs).toHaveLength(2 * wanted);
    const answers = (triggered: typeof first) => new Set(triggered.instances.map(({ answer }) => answer));
    expect(answers(first)).toEqual(new Set(['taken']));
    expect(answers(second)).toEqual(new Set(['busy']));
  };

const removal = bringsRunsToTheirEnd(({ configurations }) =>
  configurations.removeJobConfiguration('job', { living: true }),
);

const removalOfIdle: Proof = async () => {
  await using cluster = await TestCluster.start(['A']);
  const { configurations } = operationsOn(cluster);
  await expect(configurations.removeJobConfiguration('job')).rejects.toThrow('1 instance of it lives');
  await cluster.leave('A');
  await cluster.reconfigure({ description: 'an edit' });
  await letTimePass(cluster, configurations.removeJobConfiguration('job'));
  expect(await cluster.operator.children('/')).toEqual([]);
  await cluster.join('A');
  expect(cluster.view.config?.description ?? '').toBe('');
};

const shutdown = bringsRunsToTheirEnd(({ jobs }) => jobs.shutdown({ jobName: 'job' }));
const shutdownOfServer = bringsRunsToTheirEnd(({ jobs }, cluster) => jobs.shutdown({ serverIp: cluster.ipOf('A') }));

const shutdownOfInstance: Proof = async () => {
  await using cluster = await TestCluster.start(['A', 'B']);
  await cluster.operator.remove(cluster.paths.instance(cluster.idOf('A')));
  await cluster.settle();
  await cluster.fire();
  expect(cluster.ran).toEqual({ B: [0, 1] });
};

const removalOfServer: Proof = async () => {
  await bringsRunsToTheirEnd(({ jobs }, cluster) => jobs.remove({ serverIp: cluster.ipOf('A') }))();
  await using cluster = await TestCluster.start(['A', 'B']);
  const { jobs } = operationsOn(cluster);
  await jobs.remove({ serverIp: cluster.ipOf('A') });
  await cluster.settle();
  expect([...cluster.view.servers.keys()]).toEqual([cluster.ipOf('B')]);
};

const takeover: Proof = async () => {
  const { cluster: opened, endRuns } = await busyCluster(['A', 'B'], {
    job: { failover: true, shardingTotalCount: 2, cron: '0 0 * * * ?' },
  });
  await using cluster = opened;
  await cluster.fire();
  const [item] = cluster.ran['A'] ?? [];
  cluster.kill('A');
  endRuns();
  await cluster.advance('1m');
  expect(cluster.ran['B']).toContain(item);
};

const remove = async (): Promise<void> => {
  await removalOfIdle();
  await removal();
};

/** Each claim as it stands in both bundles, and its proof. */
const CLAIMS: Readonly<Record<string, readonly [english: string, chinese: string, proof: Proof]>> = {
  'confirm.disable': [
    'The servers that the job has now get no items of it until it is enabled again, also after a restart. Current runs end first. A server that joins later is not disabled.',
    '该作业现有的服务器不再分到分片项，直到重新生效，重启后依然如此；正在运行的会先完成。之后新加入的服务器不受影响。',
    disableOfJob,
  ],
  'confirm.enable': [
    'The servers of the job get its items again, and run them from the next firing on.',
    '该作业的服务器重新分到分片项，并从下次触发起运行。',
    enableOfJob,
  ],
  'confirm.item.disable': [
    'The item is not run from the next firing on, until it is enabled again. If it is running now, that run ends first.',
    '该分片项从下次触发起不再运行，直到重新生效；正在运行的会先完成。',
    disableOfItem,
  ],
  'confirm.item.enable': [
    'The item is run again from the next firing on.',
    '该分片项从下次触发起重新运行。',
    enableOfItem,
  ],
  'confirm.item.rerun': [
    'The item runs once now, beside its schedule, on its owner. If it is running already, it runs again afterwards.',
    '该分片项立即在其所属实例上额外运行一次；若正在运行，则结束后再次运行。',
    trigger({ items: [1] }),
  ],
  'confirm.rerunFailed': [
    'These items run once now, beside the schedule, on their owners: {items}. An item that is running already runs again afterwards.',
    '以下分片项立即在其所属实例上额外运行一次：{items}。正在运行的结束后再次运行。',
    trigger({ items: [0, 1] }),
  ],
  'confirm.remove': [
    'Deletes all nodes of the job in the registry centre: settings, items, servers. This cannot be undone. The job comes back, with the settings of its code, when one of its applications is started again.',
    '删除注册中心里该作业的所有数据：配置、分片、服务器。无法撤销。任一应用重新启动后，作业会以代码中的配置重新出现。',
    removalOfIdle,
  ],
  'confirm.removeLiving': [
    'Living instances: {count}. They finish their running items, and end. Then all nodes of the job in the registry centre are deleted: settings, items, servers. This cannot be undone. The job comes back, with the settings of its code, when one of its applications is started again.',
    '存活的实例：{count} 个。它们将被终止，正在运行的会先完成；然后删除注册中心里该作业的所有数据：配置、分片、服务器。无法撤销。任一应用重新启动后，作业会以代码中的配置重新出现。',
    remove,
  ],
  'confirm.server.disable': [
    'The server gets no items of the jobs that it has now, until it is enabled again, also after a restart. Current runs end first.',
    '该服务器现有的作业不再分到分片项，直到重新生效，重启后依然如此；正在运行的会先完成。',
    ofServer('disable', disableOfJob),
  ],
  'confirm.server.enable': [
    'The server gets items of its jobs again, and runs them from the next firing on.',
    '该服务器重新分到其作业的分片项，并从下次触发起运行。',
    ofServer('enable', enableOfJob),
  ],
  'confirm.server.remove': [
    'Ends the instances of this server, which finish their running items first, and deletes its nodes from the jobs. The server comes back when a process there is started again.',
    '终止该服务器的实例（正在运行的会先完成），并从作业中删除其节点。该服务器上的进程重新启动后会重新出现。',
    removalOfServer,
  ],
  'confirm.server.shutdown': [
    'Ends the jobs on this server, which finish their running items first. Only a restart of the process brings them back.',
    '终止该服务器上的作业，正在运行的会先完成；只有重启进程才能恢复。',
    shutdownOfServer,
  ],
  'confirm.shutdown': [
    'Ends the job on all instances, which finish their running items first. Only a restart of their processes brings it back: this cannot be undone from here.',
    '终止该作业的所有实例，正在运行的会先完成；只有重启进程才能恢复，此处无法撤销。',
    shutdown,
  ],
  'confirm.trigger': [
    'The job runs once now, beside its schedule, on all of its instances. Items that are running already run again afterwards (Java instances drop the trigger).',
    '作业将立即在所有实例上额外运行一次；正在运行的分片项结束后再次运行（Java 实例则忽略）。',
    trigger({}),
  ],
  'help.disable': [
    'Reversible: its servers get no items until it is enabled, also after a restart. Two settings can change it back at each start: overwrite enables the server again, disabled disables it.',
    '可恢复：其服务器不再分到分片项，直到重新生效，重启后依然如此。两项配置会在每次启动时改变它：overwrite 使服务器重新生效，disabled 使其失效。',
    settingsAtStart,
  ],
  'help.remove': [
    'Deletes all nodes of a job in the registry centre. If instances live, you must confirm that they are ended first. The job comes back when one of its applications is started again.',
    '删除注册中心中的作业数据。若有存活的实例则须确认：它们会先被终止。任一应用重新启动后，作业会重新出现。',
    remove,
  ],
  'help.shutdown': [
    'Ends the job in its processes, which finish their running items first. Only a restart of a process brings it back.',
    '在进程中终止作业，正在运行的会先完成；只有重启进程才能恢复。',
    shutdown,
  ],
  'help.takeover': [
    'If an instance dies while it runs an item, and failover is on, another instance runs the item again.',
    '实例在运行分片项时宕机且开启了失效转移，则由其他实例再次运行该分片项。',
    takeover,
  ],
  'help.trigger': [
    'Runs a job once now. Busy instances run it again afterwards; busy Java instances drop the trigger.',
    '立即运行一次作业。繁忙的实例会如实回应，并在结束后再次运行；Java 实例此时会忽略触发。',
    trigger({}),
  ],
  'instances.shutdownText': [
    'Ends the job on this one instance, which finishes its running items first. Its items go to the others. Only a restart of its process brings it back.',
    '仅在该实例上终止作业，正在运行的会先完成；其分片项交给其他实例，重启进程才能恢复。',
    shutdownOfInstance,
  ],
};

/** Texts of these groups that claim nothing about an action. */
const NO_CLAIMS = [
  ...['confirm.reason', 'confirm.reasonHint', 'confirm.title', 'confirm.type'],
  ...['help.about', 'help.items', 'help.keys', 'help.roles', 'help.states', 'help.text', 'help.words'],
];

test('each text of the page about an action has a proof here', () => {
  const texts = Object.keys(en).filter(
    (key) => /^(confirm|help)\./.test(key) && !key.endsWith('.title') && !NO_CLAIMS.includes(key),
  );
  expect(
    Object.keys(CLAIMS)
      .filter((key) => key !== 'instances.shutdownText')
      .sort(),
  ).toEqual(texts.sort());
});

test.each(Object.entries(CLAIMS))('%s does what the page says', async (key, [english, chinese, proof]) => {
  expect([en, zh].map((bundle) => bundle[key as keyof typeof en])).toEqual([english, chinese]);
  await proof();
});
