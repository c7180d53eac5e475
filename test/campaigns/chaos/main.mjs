/**
 * `npm run chaos`: breaks a real cluster in every way for some minutes and checks that no run was missed, doubled or
 * lost. `npm run chaos -- --help` lists the options. Exits with 1, and shows the logs around it, if anything was.
 */
import '../../../.config/typescript.mjs';
import { provideEtcd } from '../../../.config/packages.mjs';
import { zooKeeperEnvironment } from '../../../.config/zookeeper.mjs';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** PostgreSQL is installed by the part of the tests that starts it. */
function provide(registry) {
  if (registry === 'zookeeper') Object.assign(process.env, zooKeeperEnvironment());
  if (registry === 'etcd') provideEtcd();
}

const { main } = await import('./program.ts');
process.exitCode = await main(process.argv.slice(2), provide);
