import { type ConfigFactory, type ConfigFactoryKeyHost, registerAs } from '@nestjs/config';
import { describeValue } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { readSettingsFile, ROOT_KEY } from '../../settings/settings-file.js';

/** The return type of `elasticJobConfig`: a loader for `@nestjs/config`. */
export type ElasticJobConfigFactory = ConfigFactory<Record<string, unknown>> &
  ConfigFactoryKeyHost<Record<string, unknown>>;

/**
 * Loads settings from a file: `ConfigModule.forRoot({ load: [elasticJobConfig('elasticjob.yaml')] })`. It is YAML, or has the syntax
 * of Java's properties if its name ends in `.properties`. Settings stand under the top-level key `elasticjob`; other top-level keys
 * are ignored. `${NAME}` and `${NAME:default}` are replaced from the environment and the file itself.
 * @param file absolute, or relative to the working directory of the process
 * @returns a loader that throws InvalidConfigurationError, naming the file, if the file cannot be read or is not such a file
 */
export function elasticJobConfig(file: string): ElasticJobConfigFactory {
  return registerAs(ROOT_KEY, () => {
    if (typeof file === 'string' && file.trim() !== '') return readSettingsFile(file, process.env);
    throw new InvalidConfigurationError([
      `elasticJobConfig(): must be given the path of a file, got ${describeValue(file)}`,
    ]);
  });
}
