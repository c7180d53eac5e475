import { type ConfigFactory, type ConfigFactoryKeyHost, type ConfigService, registerAs } from '@nestjs/config';
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { relaxed } from '../../api/text/nearest.js';
import { withoutBrackets } from '../../settings/binding.js';
import { readSettingsFile, ROOT_KEY } from '../../settings/files/settings-file.js';
import { declareTokensOf, tokensIn } from '../injection-tokens.js';

/** The return type of `elasticJobConfig`: a loader for `@nestjs/config`. */
export type ElasticJobConfigFactory = ConfigFactory<Record<string, unknown>> &
  ConfigFactoryKeyHost<Record<string, unknown>>;

/**
 * Loads settings from a file: `ConfigModule.forRoot({ load: [elasticJobConfig('elasticjob.yaml')] })`. It is YAML, or
 * has the syntax of Java's properties if its name ends in `.properties`. Settings stand under the top-level key
 * `elasticjob`; other top-level keys are ignored. `${NAME}` and `${NAME:default}` are replaced from the environment and
 * the file itself.
 * @param file absolute, or relative to the working directory of the process
 * @returns a loader that throws InvalidConfigurationError, naming the file, if the file cannot be read or is not such a
 *   file
 */
export function elasticJobConfig(file: string): ElasticJobConfigFactory {
  const loader = registerAs(ROOT_KEY, () => {
    if (typeof file !== 'string' || file.trim() === '') {
      throw new InvalidConfigurationError([
        `elasticJobConfig(): must be given the path of a file, got ${describeValue(file)}`,
      ]);
    }
    const tree = readSettingsFile(file, process.env);
    for (const section of Object.values(tree)) if (isMap(section)) files.set(section, file);
    return tree;
  });
  declareTokensOf(loader, () => namesIn(file));
  return loader;
}

/** The file from which a section of settings was read. */
const files = new WeakMap<object, string>();

/**
 * The problem with a file whose settings stand at the top of the application's configuration instead of under
 * `elasticjob`, so that they have no effect: its loader was called by another one, `load: [() =>
 * elasticJobConfig('elasticjob.yaml')()]`.
 * @returns a sentence with the file and the cure, or undefined
 */
export function ignoredFileProblem(configuration: Pick<ConfigService, 'get'>): string | undefined {
  const file = SECTIONS.map((name) => configuration.get<unknown>(name))
    .map((section) => (isMap(section) ? files.get(section) : undefined))
    .find((found) => found !== undefined);
  if (file === undefined) return undefined;
  return (
    `The settings of the file ${describeValue(file)} are ignored, because ConfigModule has them at its top and not under '${ROOT_KEY}': ` +
    'write load: [elasticJobConfig(…)], and not load: [() => elasticJobConfig(…)()].'
  );
}

const SECTIONS = ['jobs', 'regCenter', 'reg-center', 'tracing', 'dump'];

/** The names in a file. A file that cannot be read has none; its loader reports the reason. */
function namesIn(file: string): readonly string[] {
  try {
    const jobs = Object.entries(readSettingsFile(file, process.env)).find(([key]) => relaxed(key) === 'jobs');
    return tokensIn(jobs?.[1]).map(withoutBrackets);
  } catch {
    return [];
  }
}
