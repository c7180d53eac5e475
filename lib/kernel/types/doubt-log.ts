import { inEnglish } from '../../wording/wording.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { doubtsAbout, isJavaClass, javaDoubtsAbout } from '../../api/job/doubtful-settings.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type Clock } from '../../time/clock.js';
import { InvalidCronError, InvalidTimeZoneError, QuartzCron } from '../../time/cron.js';
import { unevenSteps } from '../../time/cron-steps.js';
import { type JobDefinition } from '../job/job-definition.js';
import { type JobLog } from '../job/job-log.js';
import { type Extensions } from './extensions.js';

/** How many firings of a cron expression with uneven steps the log names. */
const NEXT_FIRINGS = 3;

/** Dependencies of a `DoubtLog`. */
export interface DoubtLogDeps {
  readonly definition: JobDefinition;
  readonly extensions: Extensions;
  readonly clock: Clock;
  readonly logger: JobLog;
}

const NONE: readonly string[] = [];

/**
 * Logs settings of a job that are allowed but probably not intended: at start those given here, and later those in
 * force when they differ or change. Each doubt is logged once, and again if it comes back after it was settled.
 */
export class DoubtLog {
  readonly #deps: DoubtLogDeps;
  #logged = NONE;

  constructor(deps: DoubtLogDeps) {
    this.#deps = deps;
  }

  /** Logs the doubts about settings that were not logged yet. `javaPeers`: the Java instances that take part. */
  note(configuration: JobConfiguration, javaPeers: ReadonlySet<string>): void {
    const { definition, clock, logger } = this.#deps;
    const isBesideJava = javaPeers.size > 0 || isJavaClass(definition.jobClassName);
    const doubts = [
      ...doubtsAbout(configuration, clock).map(inEnglish),
      ...(isBesideJava ? javaDoubtsAbout(configuration).map(inEnglish) : []),
      ...this.#doubtsOfExtensions(configuration),
    ];
    const { cron } = configuration;
    const steps = cron === undefined ? NONE : unevenSteps(cron);
    const isNew = (text: string): boolean => !this.#logged.includes(text);
    for (const doubt of doubts.filter(isNew)) logger.event({ type: 'settings-doubtful', doubt });
    if (steps.some(isNew)) this.#noteSteps(configuration, steps);
    const all = [...doubts, ...steps];
    this.#logged = all.length === 0 ? NONE : all;
  }

  #noteSteps({ cron = '', timeZone }: JobConfiguration, steps: readonly string[]): void {
    const { clock, logger } = this.#deps;
    const next = firingsAfter(new Date(clock.now()), () => QuartzCron.parse(cron, { timeZone }));
    if (next.length > 0) logger.event({ type: 'uneven-steps', steps, next });
  }

  #doubtsOfExtensions(configuration: JobConfiguration): readonly string[] {
    const { extensions, definition, logger } = this.#deps;
    try {
      return extensions.doubts(configuration, definition.job);
    } catch (error) {
      // An unknown type is an obstacle, which is logged as such. Anything else is a fault of a user's extension.
      if (!(error instanceof InvalidConfigurationError))
        logger.error(`the settings could not be checked for doubts: ${describeCause(error)}`);
      return NONE;
    }
  }
}

/**
 * The next firings of a schedule. A schedule that cannot be read is an obstacle, which is logged as such, and has none.
 */
function firingsAfter(start: Date, read: () => QuartzCron): readonly Date[] {
  const next: Date[] = [];
  try {
    const schedule = read();
    for (let from: Date | undefined = start; next.length < NEXT_FIRINGS;) {
      from = schedule.next(from);
      if (from === undefined) break;
      next.push(from);
    }
  } catch (error) {
    if (!(error instanceof InvalidCronError || error instanceof InvalidTimeZoneError)) throw error;
  }
  return next;
}
