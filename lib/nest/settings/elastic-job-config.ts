import { type ConfigFactory, type ConfigFactoryKeyHost, registerAs } from '@nestjs/config';
import { describeValue } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { readYamlFile, ROOT_KEY } from '../../settings/yaml-file.js';

/** The return type of `elasticJobConfig`: a loader for `@nestjs/config`. */
export type ElasticJobConfigFactory = ConfigFactory<Record<string, unknown>> &
  ConfigFactoryKeyHost<Record<string, unknown>>;

/**
 * Loads settings from a YAML file: `ConfigModule.forRoot({ load: [elasticJobConfig('elasticjob.yaml')] })`.
 * They stand under the top-level key `elasticjob`; other top-level keys are ignored.
 * @param file absolute, or relative to the working directory of the process
 * @returns a loader that throws InvalidConfigurationError, naming the file, if the file cannot be read or is not such YAML
 */
export function elasticJobConfig(file: string): ElasticJobConfigFactory {
  return registerAs(ROOT_KEY, () => {
    if (typeof file === 'string' && file.trim() !== '') return readYamlFile(file);
    throw new InvalidConfigurationError([
      `elasticJobConfig(): must be given the path of a file, got ${describeValue(file)}`,
    ]);
  });
}
