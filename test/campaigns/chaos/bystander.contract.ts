/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { expect, test } from '@jest/globals';
import { type RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { Bystander } from './bystander.js';
import { type JobSpec } from './history.js';
import { monotonicMs } from './monotonic.js';

const job = { name: 'quick', items: 1 } as JobSpec;

/** A server of some kind, and the settings that lead to an address in front of it. */
export interface WatchedServer extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
  readonly settings: (address: string) => RegCenterSettings;
}

/** The behaviour of a bystander on every kind of registry centre. */
export function bystanderContract(kind: string, start: () => Promise<WatchedServer>): void {
  test(`a bystander of ${kind} that hears nothing says that it has seen nothing since it last heard something`, async () => {
    await using server = await start();
    await using proxy = await TcpProxy.start(server.address, 'other');
    await using bystander = await Bystander.open(
      { ...server.settings(proxy.address), namespace: `silence-${process.pid}` },
      [job],
    );

    const cutAt = monotonicMs();
    proxy.blackHole('up', 'down');
    await until(() => bystander.latest('quick')?.isSeen === false, 'the bystander to notice that it hears nothing');
    expect(bystander.latest('quick')?.t).toBeLessThanOrEqual(cutAt);

    proxy.heal();
    await until(() => bystander.latest('quick')?.isSeen === true, 'the bystander to hear something again');
    expect([...(await bystander.nodes('quick')).keys()]).toEqual([]);
  });
}
