import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type INestApplicationContext, type ModuleMetadata } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { fromYaml } from '../../lib/layout/job-configuration-yaml.js';
import { ElasticJobHealth } from '../../lib/nest/elastic-job.health.js';
import { ElasticJobModule } from '../../lib/nest/elastic-job.module.js';
import { type ElasticJobModuleOptions } from '../../lib/nest/settings/module-options.js';
import { elasticJobConfig } from '../../lib/nest/settings/elastic-job-config.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { RecordingLogger, started } from '../unit/nest/application.js';
import { until } from '../support/until.js';

/** The parts of an application besides the module: its providers, and where the module's settings come from. */
export interface Application extends Pick<ModuleMetadata, 'providers'> {
  /** The text of its YAML file. */
  readonly file?: string;
  /** The options of `forRoot()`. */
  readonly options?: ElasticJobModuleOptions;
}

/** An application that has booted on a registry of its own. */
export interface Running extends AsyncDisposable {
  readonly app: INestApplicationContext;
  readonly server: EmbeddedRegistryServer;
  readonly logger: RecordingLogger;
  /** The value of a node; `undefined` if there is none. */
  node(path: string): string | undefined;
  /** The stored configuration of a job. */
  stored(jobName: string): JobConfiguration;
}

/** Namespace of the applications' registries. */
export const NAMESPACE = 'orders';

let directory: string | undefined;
afterAll(() => {
  if (directory !== undefined) rmSync(directory, { recursive: true });
});

/** The metadata of such an application. */
export function metadataOf({ file, options, providers = [] }: Application): ModuleMetadata {
  return {
    imports: [
      ...(file === undefined
        ? []
        : [ConfigModule.forRoot({ load: [elasticJobConfig(saved(file))], ignoreEnvFile: true })]),
      ElasticJobModule.forRoot({ logger: new RecordingLogger(), ...options }),
    ],
    providers,
  };
}

/** Boots an application, and waits until its jobs take part. */
export async function running(application: Application, server = new EmbeddedRegistryServer()): Promise<Running> {
  const logger = new RecordingLogger();
  const registryCenter = new EmbeddedRegistryCenter({ namespace: NAMESPACE, server });
  const options = { registryCenter, logger, ...application.options };
  const app = await started(metadataOf({ ...application, options }));
  await until(() => app.get(ElasticJobHealth).report.ready, 'the jobs to take part');
  const node = (path: string): string | undefined => server.namespace(NAMESPACE).get(path)?.value;
  return {
    app,
    server,
    logger,
    node,
    stored: (jobName) => {
      const path = `/${jobName}/config`;
      return fromYaml(node(path) ?? '', path).configuration;
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

function saved(text: string): string {
  directory ??= mkdtempSync(join(tmpdir(), 'beside-java-'));
  const file = join(directory, 'application.yml');
  writeFileSync(file, text);
  return file;
}
