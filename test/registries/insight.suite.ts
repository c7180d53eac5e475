/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
/** The commands that show why a job does not run, and its nodes: the same words on every registry centre. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { instanceYaml, jobInstanceOn } from '../../lib/layout/job-instance.js';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { aConfiguration } from '../support/views.js';
import { CommandStage } from '../unit/cli/stage.js';
import { connected, newNamespace, type RegistryKind, silent } from './registry-kind.js';

const CONFIGURATION = toYaml(aConfiguration({ cron: '0 0 2 * * ?', timeZone: 'GMT', shardingTotalCount: 3 }));
const INSTANCE = jobInstanceOn('10.0.0.1', '1-a');

/** `explain` and `dump` of a job in a state that is written node by node. */
export function insight(kind: RegistryKind): void {
  const server = kind.shared();
  let centre: RegistryCenter;
  let stage: CommandStage;
  let run: (line: string) => Promise<string>;

  beforeEach(async () => {
    const settings = server.regCenter({ namespace: newNamespace() });
    centre = await connected(settings);
    stage = await CommandStage.open();
    run = async (line) => {
      const { out, err } = await stage.run(line, {}, { openRegistry: () => createRegistryCenter(settings, silent) });
      return out + err;
    };
    await centre.create('/bill', 'org.acme.Job');
    await centre.create('/bill/config', CONFIGURATION);
    await centre.create('/bill/servers/10.0.0.1', 'ENABLED');
    await centre.create('/bill/servers/10.0.0.2', 'DISABLED');
    await centre.create(`/bill/instances/${INSTANCE.jobInstanceId}`, instanceYaml(INSTANCE), 'session');
    await centre.create('/bill/leader/election/instance', INSTANCE.jobInstanceId, 'session');
    for (const item of [0, 1]) await centre.create(`/bill/sharding/${item}/instance`, INSTANCE.jobInstanceId);
    await centre.create('/bill/sharding/1/disabled', '');
    await centre.create('/bill/sharding/2/instance', '10.0.0.9@-@9-z');
  });
  afterEach(async () => {
    await stage[Symbol.asyncDispose]();
    await centre.close();
  });

  test('explain names the reason for each item, and its cure', async () => {
    const lines = ['explain bill 1', 'explain bill 2', 'explain bill 0 --at 2026-01-01T00:00:00Z'];
    const said: string[] = [];
    // Cures name nodes as the tools of the registry centre do.
    for (const line of lines) said.push((await run(line)).replaceAll(centre.fullPath('/bill'), '<job>'));

    expect(said.map((text) => text.trimEnd().split(/\n +(?:Cure: )?/))).toEqual([
      [
        'Item 1 is disabled.',
        'Enable it: npx elasticjob enable bill --item 1, ShardingOperateAPI.enable(), or delete the node disabled below <job>/sharding.\nNot known:',
        'The operator who switched it off is not known, as no records of operations are read here: store them with tracing.type: RDB.',
      ],
      [
        'The owner of item 2, 10.0.0.9@-@9-z, is gone.',
        'The leader assigns the items again within moments; if this lasts, its log says why.',
      ],
      [
        "The schedule of job 'bill' has no instant 2026-01-01T00:00:00.000Z; the one before is 2025-12-31T02:00:00.000Z, the one after is 2026-01-01T02:00:00.000Z.",
        'Ask about one of these, or correct the cron expression or the time zone.',
      ],
    ]);
  });

  test('dump shows the nodes, parents first, without addresses', async () => {
    const lines = (await run('dump bill')).split('\n').filter((line) => line.startsWith('/bill/'));

    expect(lines).toEqual([
      ...['/bill/sharding | ', '/bill/sharding/2 | ', '/bill/sharding/2/instance | ip1@-@9-z', '/bill/sharding/1 | '],
      ...['/bill/sharding/1/instance | ip2@-@1-a', '/bill/sharding/1/disabled | ', '/bill/sharding/0 | '],
      ...['/bill/sharding/0/instance | ip2@-@1-a', '/bill/servers | ', '/bill/servers/ip3 | DISABLED'],
      ...['/bill/servers/ip2 | ENABLED', '/bill/leader | ', '/bill/leader/election | '],
      ...['/bill/leader/election/instance | ip2@-@1-a', '/bill/instances | '],
      ...['/bill/instances/ip2@-@1-a | jobInstanceId: ip2@-@1-a', '/bill/config | cron: 0 0 2 * * ?'],
    ]);
  });
}
