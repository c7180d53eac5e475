import { describeCause, stackWithCauses } from '../api/text/describe-cause.js';
import { type JobFailure } from '../api/extensions/error-handler.js';
import { withoutSecrets } from '../api/text/secrets.js';

/** The content of a message. Only the trace is cut if the message is too long for the service that delivers it. */
export interface Notice {
  /** Java's sentence, which ends in the first line of the trace. */
  readonly heading: string;
  /** The failure, one or more lines. */
  readonly trace: string;
  /** Job, item, instance and so on, one line each. */
  readonly details: readonly string[];
}

/** The notice of one failure: Java's text, and further details. */
export function noticeOf(failure: JobFailure): Notice {
  return {
    heading: `Job '${failure.configuration.jobName}' exception occur in job processing, caused by `,
    trace: traceOf(failure.cause),
    details: detailsOf(failure),
  };
}

/** A notice as text of at most `maxBytes` bytes of UTF-8, without secrets. */
export function textOf(notice: Notice, maxBytes = Infinity): string {
  const [heading, trace] = [withoutSecrets(notice.heading), withoutSecrets(notice.trace)];
  const end = notice.details.map((line) => `${withoutSecrets(line)}\n`).join('');
  const room = maxBytes - bytesOf(heading) - bytesOf(end);
  return cutTo(heading + shortened(trace, room) + end, maxBytes);
}

/** The stack trace of a thrown value and its causes, in Java's format; ends with a line break. Never throws. */
export function traceOf(cause: unknown): string {
  return `${stackWithCauses(cause) ?? describeCause(cause)}\n`;
}

/** The details of a failure besides its cause, one line each. */
export function detailsOf({ item, parameter, instance, scheduledAt, taskId, attempt }: JobFailure): readonly string[] {
  const ofItem = parameter === undefined ? String(item) : `${item} (${parameter})`;
  return [
    ...(item === undefined ? [] : [`Item: ${ofItem}`]),
    `Instance: ${instance.jobInstanceId}`,
    `Scheduled at: ${scheduledAt?.toISOString() ?? 'not scheduled, run manually'}`,
    ...(taskId === undefined ? [] : [`Task: ${taskId}`]),
    `Attempt: ${attempt}`,
  ];
}

function shortened(text: string, maxBytes: number): string {
  const bytes = bytesOf(text);
  if (bytes <= maxBytes) return text;
  const marker = `… (cut, ${bytes} bytes in all)\n`;
  return cutTo(text, Math.max(0, maxBytes - bytesOf(marker))) + marker;
}

/** The start of a text, at most `maxBytes` bytes of UTF-8, without half a character at its end. */
function cutTo(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text;
  const bytes = Buffer.from(text, 'utf8');
  let end = Math.max(0, Math.floor(maxBytes));
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
