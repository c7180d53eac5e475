/**
 * The notices of one job's failures. The first failure is sent at once. Failures within the digest interval after it
 * are gathered, and sent in one notice at its end, which begins the next interval:
 *
 * ```
 *   failures   x  x xx x                x                                x
 *   notices    1  └──── interval ───▶ 4 └──── interval ───▶ 1 ── quiet ──▶ 1
 * ```
 * A notice is tried again a few times, after growing pauses, while further failures are gathered. A notice that cannot
 * be delivered is logged. The job never waits for notices.
 */
import { describeCause } from '../api/text/describe-cause.js';
import { type JobFailure } from '../api/extensions/error-handler.js';
import { DeadlineExceededError } from '../api/errors/errors.js';
import { writeEntry } from '../api/text/log-entry.js';
import { type JobLogger, type LogLevel } from '../api/text/logger.js';
import { backoffMs } from '../async/backoff.js';
import { timedCall } from '../async/timed-call.js';
import { sleep } from '../async/wait.js';
import { type Clock } from '../time/clock.js';
import { DeliveryError } from './delivery-error.js';
import { FailureDigest } from './failure-digest.js';
import { textOf } from './failure-text.js';
import { type ChannelSettings, type NoticeChannel, redacted } from './notice-channel.js';

/** The most attempts to deliver one notice. */
const MOST_ATTEMPTS = 5;

/** The pauses between attempts. */
const RETRY = { baseMs: 1_000, maxMs: 30_000 };

/** The most milliseconds that the last notices may take when the job ends. The kernel waits for 5 seconds. */
const CLOSING_MS = 4_000;

/** The result of a notice, in the log: delivered, delivered with a remark, or given up. */
type NoticeEvent = 'notice-delivered' | 'notice-incomplete' | 'notice-lost';

/** The objects that a notifier uses. */
export interface NotifierDeps {
  readonly clock: Clock;
  readonly logger: JobLogger;
}

/** Sends notices of one job's failures through a channel. */
export class JobNotifier<Settings extends ChannelSettings> {
  readonly #channel: NoticeChannel<Settings>;
  readonly #deps: NotifierDeps;
  /** The last failure: its configuration is the present one. */
  #latest: JobFailure | undefined;
  #gathered: FailureDigest | undefined;
  /** Ends the interval in which failures are gathered; `undefined` if none is open. */
  #endInterval: (() => void) | undefined;
  #delivery: Promise<void> | undefined;
  /** Aborted when the job ends, so that no delivery pauses before its next attempt. */
  readonly #closing = new AbortController();
  /** Aborted at the deadline of the last notices. */
  readonly #end = new AbortController();

  constructor(channel: NoticeChannel<Settings>, deps: NotifierDeps) {
    this.#channel = channel;
    this.#deps = deps;
  }

  /** Notes a failure, and sends it now or with the next digest. Never throws, and never waits. */
  add(failure: JobFailure): void {
    this.#latest = failure;
    if (this.#gathered === undefined) this.#gathered = new FailureDigest(failure, this.#deps.clock.now());
    else this.#gathered.add(failure);
    this.#deliverIfDue();
  }

  /** Delivers the pending notices now, or logs them, within 4 seconds. Never rejects. */
  async close(): Promise<void> {
    const { clock } = this.#deps;
    const jobName = this.#latest?.configuration.jobName ?? '';
    const timeout = new DeadlineExceededError(`the last notices of job '${jobName}' to be delivered`, CLOSING_MS);
    const cancel = clock.after(CLOSING_MS, () => this.#end.abort(timeout));
    this.#closing.abort(timeout);
    this.#endInterval?.();
    this.#endInterval = undefined;
    this.#deliverIfDue();
    // One after the other: the end of a delivery begins the next one, of the failures that were gathered meanwhile.
    while (this.#delivery !== undefined) await this.#delivery;
    cancel();
  }

  #deliverIfDue(): void {
    const digest = this.#gathered;
    const failure = this.#latest;
    if (digest === undefined || failure === undefined) return;
    if (this.#delivery !== undefined || this.#endInterval !== undefined) return;
    this.#gathered = undefined;
    this.#beginInterval(failure);
    this.#delivery = this.#deliver(digest).finally(() => {
      this.#delivery = undefined;
      this.#deliverIfDue();
    });
  }

  #beginInterval({ configuration }: JobFailure): void {
    const reading = this.#channel.read(configuration.props);
    if (this.#closing.signal.aborted || !('settings' in reading)) return;
    this.#endInterval = this.#deps.clock.after(reading.settings.digestMs, () => {
      this.#endInterval = undefined;
      this.#deliverIfDue();
    });
  }

  /** Tries a notice until it is delivered or given up. Never rejects. */
  async #deliver(digest: FailureDigest): Promise<void> {
    const closing = this.#closing.signal;
    for (let attempt = 1; ; attempt++) {
      // One after the other: an attempt begins only after the last one has failed.
      const problem = await this.#attempt(digest);
      if (problem === undefined) return;
      const isLast = problem.prospect === 'final' || attempt >= MOST_ATTEMPTS || closing.aborted;
      if (isLast) return this.#giveUp(digest, problem);
      const delayMs = backoffMs(attempt, RETRY);
      this.#log('debug', `a notice was not delivered and is tried again in ${delayMs} ms: ${problem.message}`);
      // The end of the job ends the pause, and a last attempt follows.
      await sleep(this.#deps.clock, delayMs, closing).catch(() => undefined);
    }
  }

  /** @returns the reason why the notice was not delivered, without secrets; undefined if it was delivered */
  async #attempt(digest: FailureDigest): Promise<DeliveryError | undefined> {
    const { configuration } = this.#latest ?? {};
    if (configuration === undefined) return undefined;
    const reading = this.#channel.read(configuration.props);
    if (!('settings' in reading)) return new DeliveryError(reading.problems.join(' '), 'final');
    const { settings } = reading;
    try {
      const remark = await this.#send(digest, settings);
      this.#log('log', this.#channel.delivered(configuration.jobName), 'notice-delivered');
      if (remark !== undefined) this.#log('warn', redacted(remark, settings.secrets), 'notice-incomplete');
      return undefined;
    } catch (error) {
      const isKnown = error instanceof DeliveryError;
      const reason = redacted(isKnown ? error.message : describeCause(error), settings.secrets);
      return new DeliveryError(reason, isKnown ? error.prospect : 'transient');
    }
  }

  async #send(digest: FailureDigest, settings: Settings): Promise<string | undefined> {
    const { attemptMs } = settings;
    let remark: string | undefined;
    const send = async (signal: AbortSignal): Promise<void> => {
      remark = await this.#channel.send(digest.notice, settings, signal);
    };
    await timedCall(send, {
      clock: this.#deps.clock,
      signal: this.#end.signal,
      limitMs: attemptMs,
      error: () => new DeliveryError(`it took more than ${attemptMs} ms`, 'transient'),
    });
    return remark;
  }

  #giveUp(digest: FailureDigest, { message }: DeliveryError): void {
    const { jobName = '' } = this.#latest?.configuration ?? {};
    const text = `${this.#channel.failed(jobName)}: ${message}\nIt should have said:\n${textOf(digest.notice)}`;
    this.#log('error', text, 'notice-lost');
  }

  #log(level: LogLevel, message: string, event?: NoticeEvent): void {
    const { configuration, instance } = this.#latest ?? {};
    const { jobInstanceId = '' } = instance ?? {};
    const jobName = configuration?.jobName;
    const fields = event === undefined ? {} : { event };
    writeEntry(this.#deps.logger, { level, message, jobName, instance: jobInstanceId, ...fields });
  }
}
