import { type JobErrorHandler } from '../api/extensions/error-handler.js';
import { aClock, aLogger, checkOptions, type OptionRules } from '../api/settings/call-options.js';
import { type JobLogger } from '../api/text/logger.js';
import { type Clock, systemClock } from '../time/clock.js';
import { dingtalk } from './dingtalk.js';
import { email } from './email.js';
import { NotifyingErrorHandler } from './notifying-error-handler.js';
import { wechat } from './wechat.js';

/** Options of the notifying error handlers. */
export interface NotifyingErrorHandlersOptions {
  /** Logs which notices were delivered, and which were not. */
  readonly logger: JobLogger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

const RULES: OptionRules<NotifyingErrorHandlersOptions> = { logger: aLogger, clock: aClock };

/**
 * The error handlers `EMAIL`, `WECHAT` and `DINGTALK`. `ElasticJobModule` has them; without Nest, give them to the
 * host: `new JobHost({ registryCenter, logger, errorHandlers: notifyingErrorHandlers({ logger }) })`. Call it once for
 * each host.
 * @throws InvalidConfigurationError if an option is missing, unknown or of a wrong kind
 */
export function notifyingErrorHandlers(options: NotifyingErrorHandlersOptions): readonly JobErrorHandler[] {
  checkOptions('notifyingErrorHandlers()', options, RULES, { required: ['logger'], example: '{ logger }' });
  const { logger, clock = systemClock } = options;
  const deps = { clock, logger };
  return [
    new NotifyingErrorHandler(email(deps), deps),
    new NotifyingErrorHandler(wechat(clock), deps),
    new NotifyingErrorHandler(dingtalk(clock), deps),
  ];
}
