import { type JobFailure } from '../../lib/api/extensions/error-handler.js';
import { JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type JobLogger } from '../../lib/api/text/logger.js';

/** A failure of item 1 of job `bill` at 12:00:05, with the job's properties. */
export function aFailure(props: Readonly<Record<string, string>>, more: Partial<JobFailure> = {}): JobFailure {
  const configuration = { ...JobConfiguration.newBuilder('bill', 3).build(), props };
  return {
    configuration,
    cause: new Error('no stock'),
    item: 1,
    parameter: 'Beijing',
    scheduledAt: new Date('2026-01-02T12:00:05Z'),
    instance: { jobInstanceId: '10.0.0.1@-@7', serverIp: '10.0.0.1' },
    taskId: 'bill@-@0,1,2@-@READY@-@10.0.0.1@-@7',
    attempt: 1,
    ...more,
  };
}

/** Keeps what is logged, debug entries and stacks included. */
export class CompleteLog implements JobLogger {
  readonly lines: string[] = [];
  readonly debug = this.#noting('debug');
  readonly log = this.#noting('log');
  readonly warn = this.#noting('warn');
  readonly error = this.#noting('error');

  /** All of it as one text. */
  get text(): string {
    return this.lines.join('\n');
  }

  /** The lines of one level, without it. */
  of(level: 'debug' | 'log' | 'warn' | 'error'): readonly string[] {
    return this.lines.flatMap((line) => (line.startsWith(`${level} `) ? [line.slice(level.length + 1)] : []));
  }

  #noting(level: string): (message: string, stack?: string) => void {
    return (message, stack) => void this.lines.push(`${level} ${message}${stack === undefined ? '' : `\n${stack}`}`);
  }
}
