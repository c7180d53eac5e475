import { isMap } from '../../api/text/describe-value.js';
import { type ElasticJobConsoleOptions } from './console-options.js';

/** The options with the keys that the environment gives, where the options have none. */
export function withEnvironment(
  options: ElasticJobConsoleOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ElasticJobConsoleOptions {
  const { EJC_SESSION_KEYS: keys, EJC_SECRET_KEY: secretKey } = environment;
  if (!isMap(options)) return options;
  return {
    ...(keys !== undefined && keys !== '' && { sessionKeys: keys.split(',').map((key) => key.trim()) }),
    ...(secretKey !== undefined && secretKey !== '' && { secretKey }),
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  };
}
