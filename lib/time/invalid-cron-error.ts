/** The seven fields of a Quartz expression, by the names that messages use. */
export type CronFieldName = 'seconds' | 'minutes' | 'hours' | 'day of month' | 'month' | 'day of week' | 'year';

/** Where an expression is wrong, and what would be right. */
export interface CronFault {
  /** A clause that completes "… cannot be used: ", naming field, text and what is allowed. */
  readonly reason: string;
  /** The field at fault; absent if the expression as a whole is. */
  readonly field?: CronFieldName;
  readonly cause?: unknown;
}

/** A cron expression that cannot be used. Nothing has been scheduled. */
export class InvalidCronError extends Error {
  override readonly name = 'InvalidCronError';
  /** One of the codes of this library's errors. */
  readonly code = 'INVALID_CRON';
  /** The field at fault, or `undefined` if the expression as a whole is. */
  readonly field: CronFieldName | undefined;

  constructor(
    /** The whole expression, as it was given. */
    readonly expression: string,
    { reason, field, cause }: CronFault,
  ) {
    super(`Cron expression '${expression}' cannot be used: ${reason}.`, cause === undefined ? undefined : { cause });
    this.field = field;
  }
}

/** A time zone that is not known. It is a fault of a cron schedule, hence the same code. */
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
