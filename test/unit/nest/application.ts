import { type DynamicModule, type INestApplicationContext, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type JobLogger } from '../../../lib/api/text/logger.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';

/** Keeps what is logged. */
export class RecordingLogger implements JobLogger {
  readonly lines: string[] = [];
  debug(): void {}
  log = (message: string): void => void this.lines.push(`log ${message}`);
  warn = (message: string): void => void this.lines.push(`warn ${message}`);
  error = (message: string): void => void this.lines.push(`error ${message}`);
}

let namespaces = 0;

/** `forRoot` with a quiet logger and a namespace that no other test uses. */
export function elasticJob({ regCenter, ...options }: ElasticJobModuleOptions = {}): DynamicModule {
  return ElasticJobModule.forRoot({
    logger: new RecordingLogger(),
    regCenter: { ...(options.registryCenter === undefined && { namespace: `test-${++namespaces}` }), ...regCenter },
    ...options,
  });
}

/** An application that has booted, and is closed at the end of the test's block. */
export async function started(metadata: ModuleMetadata): Promise<INestApplicationContext & AsyncDisposable> {
  const app = await Test.createTestingModule(metadata).compile();
  app.useLogger(false);
  try {
    await app.init();
  } catch (error) {
    // Other modules may have started already, and would keep the test's process up.
    await app.close();
    throw error;
  }
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}

/** The refusal of booting the application, one line for each fault. */
export async function refusalOf(metadata: ModuleMetadata): Promise<readonly string[]> {
  try {
    const app = await started(metadata);
    await app.close();
    return ['it boots'];
  } catch (error) {
    return (error as Error).message.trim().split(/\n\s*/);
  }
}
