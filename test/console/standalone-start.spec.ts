import { expect, test } from '@jest/globals';
import { startConsole } from '../../lib/console/standalone.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../support/until.js';
import { USERS } from './support/console-app.js';

/** A registry centre whose server nothing reaches. */
class UnreachableRegistryCenter extends EmbeddedRegistryCenter {
  override connect(): void {
    super.connect();
    this.faults.dropMessages();
  }
}

test('a console of its own whose registry centre is out of reach listens after two seconds', async () => {
  const clock = new ManualClock();
  const registryCenter = new UnreachableRegistryCenter({ server: new EmbeddedRegistryServer({ clock }) });
  let url = '';
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const starting = startConsole({
    ...{ port: 0, host: '127.0.0.1', allowsInsecureHttp: false, logger },
    console: { clock, users: USERS, registries: [{ name: 'main', registryCenter }] },
  }).then((started) => {
    url = started.url;
    return started;
  });
  await until(() => registryCenter.session.state.phase === 'connecting' && clock.timers > 0, 'the console to wait');

  await clock.advance(1_999);
  expect(url).toBe('');
  await until(async () => {
    await clock.advance(1);
    return url !== '';
  }, 'the console to listen');

  expect((await fetch(`${url}api/v1/auth/providers`)).status).toBe(200);
  await (await starting).close();
  registryCenter.faults.resume();
  await registryCenter.close();
});
