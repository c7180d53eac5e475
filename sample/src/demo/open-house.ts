/**
 * `npm run demo -- --console`: instances of the sample and the console that shows them, until Ctrl-C. Every 20 seconds
 * an instance joins or is stopped, so that items are seen moving. `DEMO_CONSOLE_PORT` (default 8899) is the port of the
 * console.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamicModule, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EmbeddedRegistryCenter } from 'nestjs-elasticjob/registry';
import { ElasticJobConsoleModule } from 'nestjs-elasticjob/console';
import { type DataSource } from 'typeorm';
import { type Instances } from './instances.js';

const SECONDS_BETWEEN_CHANGES = 20;

/** The parts of a demonstration that goes on until it is ended. */
export interface OpenHouse {
  readonly instances: Instances;
  /** The database of the orders, in which runs are recorded too. */
  readonly dataSource: DataSource;
  /** Writes a note for the viewer. */
  readonly say: (note: string) => void;
  /** Ends the demonstration. */
  readonly signal: AbortSignal;
}

/**
 * Starts instances and the console, and starts and stops instances until `signal` is aborted.
 * @throws if the console's port is taken
 */
export async function keepOpen({ instances, dataSource, say, signal }: OpenHouse): Promise<void> {
  const password = randomBytes(9).toString('base64url');
  say('Starting three instances, A, B and C, and the console.');
  for (const name of ['A', 'B', 'C']) await instances.start(name);
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'orders-sample' });
  const console = await startConsole(consoleModule({ registryCenter, dataSource, password }));
  try {
    say(`The console listens on ${await console.getUrl()}: user name demo, password ${password}`);
    say(`An instance joins or is stopped every ${SECONDS_BETWEEN_CHANGES} s. End with Ctrl-C.`);
    await comeAndGo(instances, { say, signal });
  } finally {
    await console.close();
    await registryCenter.close();
  }
}

async function comeAndGo(instances: Instances, { say, signal }: Pick<OpenHouse, 'say' | 'signal'>): Promise<void> {
  const running = ['A', 'B', 'C'];
  let absent = 'D';
  for (;;) {
    await sleep(SECONDS_BETWEEN_CHANGES * 1000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    say(`Instance ${absent} joins.`);
    await instances.start(absent);
    running.push(absent);
    await sleep(SECONDS_BETWEEN_CHANGES * 1000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    absent = running.shift() ?? absent;
    say(`Instance ${absent} is stopped.`);
    await instances.stop(absent);
  }
}

async function startConsole(module: DynamicModule): Promise<INestApplication> {
  const port = Number(process.env['DEMO_CONSOLE_PORT'] ?? 8899);
  const app = await NestFactory.create(module, { logger: false, abortOnError: false });
  try {
    await app.listen(port, '127.0.0.1');
  } catch (cause) {
    await app.close();
    throw new Error(`The console cannot listen on port ${port}; set DEMO_CONSOLE_PORT to a free one.`, { cause });
  }
  return app;
}

@Module({})
class DemoConsoleModule {}

/** The console needs no job in its process: here it gets the registry centre and the database by its options. */
function consoleModule({
  registryCenter,
  dataSource,
  password,
}: {
  readonly registryCenter: EmbeddedRegistryCenter;
  readonly dataSource: DataSource;
  readonly password: string;
}): DynamicModule {
  return {
    module: DemoConsoleModule,
    imports: [
      ElasticJobConsoleModule.forRoot({
        path: '/',
        environment: 'demonstration',
        users: [{ username: 'demo', role: 'admin', password }],
        registries: [{ name: 'orders-sample', registryCenter }],
        dataSources: [{ name: 'orders', dataSource }],
      }),
    ],
  };
}
