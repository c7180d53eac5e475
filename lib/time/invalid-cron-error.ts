/** The seven fields of a Quartz expression, as messages call them. */
export type CronFieldName = 'seconds' | 'minutes' | 'hours' | 'day of month' | 'month' | 'day of week' | 'year';

/** What is wrong with an expression, and what would be right. */
export interface CronFault {
  /** A clause that completes "… cannot be used: ". It names the field, its text and the allowed text. */
  readonly reason: string;
  /** The field that is wrong. Absent if the expression as a whole is wrong. */
  readonly field?: CronFieldName;
  readonly cause?: unknown;
}

/** A cron expression cannot be used. Nothing has been scheduled. */
export class InvalidCronError extends Error {
  override readonly name = 'InvalidCronError';
  /** One of the codes of this library's errors. */
  readonly code = 'INVALID_CRON';
  /** The field that is wrong. `undefined` if the expression as a whole is wrong. */
  readonly field: CronFieldName | undefined;

  constructor(
    /** The whole expression as it was given. */
    readonly expression: string,
    { reason, field, cause }: CronFault,
  ) {
    super(`Cron expression '${expression}' cannot be used: ${reason}.`, cause === undefined ? undefined : { cause });
    this.field = field;
  }
}

/**
 * A time zone is not known. The code is that of `InvalidCronError`, because the time zone is part of a cron schedule.
 */
export class InvalidTimeZoneError extends RangeError {
  override readonly name = 'InvalidTimeZoneError';
  /** One of the codes of this library's errors. */
  readonly code = 'INVALID_CRON';

  constructor(
    /** The text that names no zone. */
    readonly timeZone: string,
    hint: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`Time zone '${timeZone}' is not known: ${hint}.`, options);
  }
}
