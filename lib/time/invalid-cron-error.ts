import { inEnglish, type Wording, wording } from '../wording/wording.js';

/** The seven fields of a Quartz expression, as messages call them. */
export type CronFieldName = 'seconds' | 'minutes' | 'hours' | 'day of month' | 'month' | 'day of week' | 'year';

/** The fault of an expression, and the text that would be right. */
export interface CronFault {
  /** A clause that completes "… cannot be used: ". It names the field, its text and the allowed text. */
  readonly reason: Wording;
  /** The field with the fault. Absent if the expression as a whole is wrong. */
  readonly field?: CronFieldName;
  readonly cause?: unknown;
}

/** A cron expression cannot be used. Nothing has been scheduled. */
export class InvalidCronError extends Error {
  override readonly name = 'InvalidCronError';
  /** One of the codes of this library's errors. */
  readonly code = 'INVALID_CRON';
  /** The field with the fault. `undefined` if the expression as a whole is wrong. */
  readonly field: CronFieldName | undefined;
  /** The message for programs that word it themselves. */
  readonly because!: Wording;

  constructor(
    /** The whole expression as it was given. */
    readonly expression: string,
    { reason, field, cause }: CronFault,
  ) {
    const because = wording('cron-unusable', { expression, reason });
    super(inEnglish(because), cause === undefined ? undefined : { cause });
    this.field = field;
    // Enumerable, Node would print the message twice.
    Object.defineProperty(this, 'because', { value: because, enumerable: false });
  }
}

/**
 * A time zone is not known. The code is that of `InvalidCronError`, because the time zone is part of a cron schedule.
 */
export class InvalidTimeZoneError extends RangeError {
  override readonly name = 'InvalidTimeZoneError';
  /** One of the codes of this library's errors. */
  readonly code = 'INVALID_CRON';
  /** The message for programs that word it themselves. */
  readonly because!: Wording;

  constructor(
    /** The text that names no zone. */
    readonly timeZone: string,
    hint: Wording,
    options?: { readonly cause?: unknown },
  ) {
    const because = wording('zone-not-known', { timeZone, hint });
    super(inEnglish(because), options);
    Object.defineProperty(this, 'because', { value: because, enumerable: false });
  }
}
