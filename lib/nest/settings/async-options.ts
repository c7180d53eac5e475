import { describeValue, isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { knownNames } from '../../api/text/nearest.js';

const CALL = 'ElasticJobModule.forRootAsync()';
const FACTORIES = ['useFactory', 'useClass', 'useExisting'];
const LISTS = ['imports', 'inject', 'oneOffJobs'];

/**
 * Checks the options of `forRootAsync`, which Nest itself would not, or only with a vague message.
 * @throws InvalidConfigurationError naming everything that is wrong
 */
export function checkAsyncOptions(options: unknown): void {
  if (!isMap(options))
    throw new InvalidConfigurationError([`${CALL}: needs a plain object of options, got ${describeValue(options)}`]);
  const keys = Object.keys(options).filter((key) => options[key] !== undefined);
  const known = [...FACTORIES, ...LISTS];
  const problems = keys.flatMap((key) => {
    const value = options[key];
    if (!known.includes(key)) return [`${CALL}.${key}: unknown key${knownNames(key, known)}`];
    if (LISTS.includes(key))
      return Array.isArray(value) ? [] : [`${CALL}.${key}: must be a list, got ${describeValue(value)}`];
    // An existing provider may have any kind of token.
    const isUsable = key === 'useExisting' || typeof value === 'function';
    return isUsable
      ? []
      : [`${CALL}.${key}: must be a ${key === 'useClass' ? 'class' : 'function'}, got ${describeValue(value)}`];
  });
  const given = keys.filter((key) => FACTORIES.includes(key));
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none' : given.join(' and ');
    problems.push(`${CALL}: needs one of useFactory, useClass and useExisting, got ${got}`);
  }
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}
