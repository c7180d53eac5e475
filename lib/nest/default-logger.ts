import { Logger } from '@nestjs/common';
import { type JobLogger } from '../api/logger.js';

/** Where the library logs if the module's options do not say: Nest's logger with the context `ElasticJob`. */
export function defaultLogger(): JobLogger {
  return new Logger('ElasticJob');
}
