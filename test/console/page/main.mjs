/**
 * `npm run test:console`: the built page in a real browser, before a back end that answers from fixtures, and before
 * the real one on a real ZooKeeper. Screenshots of each page are written to coverage/console (or SCREENSHOTS).
 * Arguments are Jest's own.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { provideChromium } from '../../../.config/chromium.mjs';
import { root } from '../../../.config/prepare.mjs';
import { zooKeeperEnvironment } from '../../../.config/zookeeper.mjs';

try {
  const env = {
    SCREENSHOTS: join(root, 'coverage/console'),
    ...process.env,
    ...zooKeeperEnvironment(),
    CHROMIUM: provideChromium(),
  };
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(root, '.config/jest.console.config.mjs')];
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const { status } = spawnSync(process.execPath, [...flags, ...jest, ...process.argv.slice(2)], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
