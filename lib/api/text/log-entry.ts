import { onRejection } from '../../async/rejection.js';
import { describeCause } from './describe-cause.js';
import { type JobLogger, type LogEntry } from './logger.js';
import { withoutSecrets } from './secrets.js';

/**
 * Passes an entry to the user's logger, without secrets. Never throws, not even if the logger does. The context is
 * `ElasticJob:syncOrders`, or `ElasticJob` for entries about the whole process.
 */
export function writeEntry(logger: JobLogger, { jobName, ...rest }: Omit<LogEntry, 'context'>): void {
  const context = jobName === undefined ? 'ElasticJob' : `ElasticJob:${jobName}`;
  const { level, stack: fullStack } = rest;
  const message = withoutSecrets(rest.message);
  const stack = fullStack === undefined ? undefined : withoutSecrets(fullStack);
  const entry: LogEntry = { ...rest, message, ...(stack !== undefined && { stack }), jobName, context };
  try {
    const written: unknown =
      logger.write === undefined
        ? logger[level](message, ...(stack === undefined ? [] : [stack]))
        : logger.write(entry);
    onRejection(written, warnRarely);
  } catch (failure) {
    warnRarely(failure);
  }
}

/** Entries that loggers of this process have failed to write. */
let lostEntries = 0;

/** How many lost entries one warning stands for: a logger whose disk is full fails at each entry. */
const WARNING_EVERY = 1_000;

function warnRarely(failure: unknown): void {
  if (lostEntries++ % WARNING_EVERY !== 0) return;
  const lost = lostEntries === 1 ? 'its entries are lost' : `${lostEntries} entries are lost so far`;
  process.emitWarning(`A logger failed; ${lost}: ${describeCause(failure)}`, 'ElasticJobWarning');
}
