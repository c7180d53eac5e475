import { type JobLogger } from '../../api/text/logger.js';
import { withoutSecrets } from '../../api/text/secrets.js';

/** The logger of the console, which writes no secrets: errors of databases and servers may quote credentials. */
export function loggerWithoutSecrets(logger: JobLogger): JobLogger {
  return {
    debug: (message) => logger.debug(withoutSecrets(message)),
    log: (message) => logger.log(withoutSecrets(message)),
    warn: (message) => logger.warn(withoutSecrets(message)),
    error: (message, stack) =>
      stack === undefined
        ? logger.error(withoutSecrets(message))
        : logger.error(withoutSecrets(message), withoutSecrets(stack)),
  };
}
