import { dependenciesOf } from '../../api/settings/dependencies.js';
import { QuartzCron } from '../../time/cron.js';
import { toQuartz } from '../../time/crontab.js';
import { JobConfigurationAPI } from '../../operations/job-configuration-api.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { wallTime } from './wall-time.js';

/** Options of `next`. */
export interface NextOptions {
  readonly zone?: string;
  readonly count: number;
  /** Only firings after this instant. Default: now. */
  readonly from?: Date;
  /** The job whose cron expression and time zone are used. */
  readonly job?: string;
}

/** `next <cron>`: the next firings of a cron expression, or of a job. */
export async function next(invocation: Invocation, words: readonly string[], options: NextOptions): Promise<ExitCode> {
  const { output, surroundings } = invocation;
  const { expression, timeZone } = await whatFires(invocation, words, options);
  const cron = toQuartz(expression);
  const schedule = QuartzCron.parse(cron, { timeZone });
  const firings = firingsAfter(schedule, options.from ?? new Date(surroundings.clock.now()), options.count);
  const zone = timeZone ?? new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
  if (output.isJson) {
    output.json({ cron, timeZone: zone, firings: firings.map((each) => each.toISOString()) });
    return EXIT.done;
  }
  if (cron !== expression) output.note(`As Quartz cron: ${cron}`);
  output.list(
    {
      rows: firings,
      columns: [
        { title: `FIRES (${zone})`, text: (instant) => wallTime(instant, timeZone) },
        { title: 'UTC', text: (instant) => instant.toISOString().replace('.000Z', 'Z') },
      ],
      empty: `'${cron}' does not fire again.`,
    },
    firings,
  );
  return EXIT.done;
}

/** The next instants at which a schedule fires, after the given one; fewer if it ends. */
export function firingsAfter(schedule: QuartzCron, from: Date, count: number): readonly Date[] {
  const firings: Date[] = [];
  for (let last: Date | undefined = from; firings.length < count; firings.push(last)) {
    last = schedule.next(last);
    if (last === undefined) break;
  }
  return firings;
}

async function whatFires(
  invocation: Invocation,
  words: readonly string[],
  { job, zone }: NextOptions,
): Promise<{ readonly expression: string; readonly timeZone: string | undefined }> {
  if ((job === undefined) === (words.length === 0))
    throw new CommandError(
      EXIT.usage,
      "Give a cron expression, such as next '0 0 2 * * ?', or a job: next --job syncOrders.",
    );
  if (job === undefined) return { expression: words.join(' '), timeZone: zone };
  const settings = await new JobConfigurationAPI(await invocation.registry()).getJobConfiguration(job);
  const { cron, timeZone } = settings;
  if (cron === undefined) {
    const { after } = dependenciesOf(settings) ?? {};
    const runs = after === undefined ? 'when it is triggered' : `after ${after.join(', ')}`;
    throw new CommandError(EXIT.state, `Job '${job}' has no cron expression: it runs ${runs}.`);
  }
  return { expression: cron, timeZone: zone ?? timeZone };
}
