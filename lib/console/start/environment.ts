import { isMap } from '../../api/text/describe-value.js';
import { suggestion } from '../../api/text/nearest.js';
import { type ElasticJobConsoleOptions } from '../options/console-options.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The options that variables set, by variable. */
const VARIABLES = { EJC_SESSION_KEYS: 'sessionKeys', EJC_SECRET_KEY: 'secretKey', EJC_AUDIT_KEY: 'audit.key' } as const;

/** The options, with keys of the environment where the options have none. */
export function withEnvironment(options: ElasticJobConsoleOptions, environment: Environment): ElasticJobConsoleOptions {
  const { EJC_SESSION_KEYS: keys, EJC_SECRET_KEY: secretKey, EJC_AUDIT_KEY: auditKey } = environment;
  if (!isMap(options)) return options;
  const audit = auditKey === undefined || auditKey === '' ? undefined : { key: auditKey };
  const given: unknown = options.audit;
  return {
    ...(keys !== undefined && keys !== '' && { sessionKeys: keys.split(',').map((key) => key.trim()) }),
    ...(secretKey !== undefined && secretKey !== '' && { secretKey }),
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    ...(audit !== undefined && (given === undefined || isMap(given)) && { audit: { ...audit, ...given } }),
  };
}

/** Finds misspelt variables of the console. @returns the problems, one line each */
export function environmentProblems(environment: Environment): readonly string[] {
  const names = Object.keys(VARIABLES);
  return Object.keys(environment)
    .filter((name) => /^EJC_/i.test(name) && !names.includes(name) && (environment[name] ?? '') !== '')
    .flatMap((name) => {
      const meant = suggestion(name, names);
      return meant === '' ? [] : [`${name}: unknown environment variable${meant}`];
    });
}

/** The problem, with the name of the variable if the option comes from one. */
export function withVariable(problem: string, given: unknown, environment: Environment): string {
  const found = Object.entries(VARIABLES).find(([variable, option]) => {
    const isOurs = problem.startsWith(`console.${option}: `) && (environment[variable] ?? '') !== '';
    return isOurs && isMap(given) && valueAt(given, option) === undefined;
  });
  return found === undefined ? problem : `${problem} (from environment variable ${found[0]})`;
}

function valueAt(options: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((map, name) => (isMap(map) ? map[name] : undefined), options);
}
