import { type JobLogger } from '../api/logger.js';
import { type ModuleSettings } from '../settings/module-settings.js';
import { NestLogger } from './nest-logger.js';

/** Where the library logs if the module's options do not say: Nest's logger. */
export function defaultLogger({ structuredLog }: ModuleSettings): JobLogger {
  return new NestLogger(structuredLog === true ? 'fields' : 'text');
}
