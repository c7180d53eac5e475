import { type Notice } from './failure-text.js';
import { type Props, type Reading } from './props-reader.js';

/** The milliseconds for which a digest gathers failures, if the job does not set it. */
export const DEFAULT_DIGEST_MS = 60_000;

/** The settings that all channels have. */
export interface ChannelSettings {
  /** Texts that must not be shown in logs. */
  readonly secrets: readonly string[];
  /** The milliseconds after a notice in which further failures are gathered. */
  readonly digestMs: number;
  /** The most milliseconds that one attempt to deliver may take. */
  readonly attemptMs: number;
}

/** A way to send notices to people. It keeps no state between two notices. */
export interface NoticeChannel<Settings extends ChannelSettings = ChannelSettings> {
  /** The type of the error handler. */
  readonly type: string;
  /** The keys of all properties that it reads. */
  readonly keys: readonly string[];
  /** Properties that are allowed, but probably not intended, besides unknown keys. Default: none. */
  doubts?(props: Props): readonly string[];
  /** The settings of a job, or their problems. */
  read(props: Props): Reading<Settings>;
  /**
   * Delivers a notice. It ends soon after the signal has aborted.
   * @returns a remark about a delivered notice, or undefined
   * @throws DeliveryError if it was not delivered; anything else counts as transient
   */
  send(notice: Notice, settings: Settings, signal: AbortSignal): Promise<string | undefined>;
  /** Loads the packages of the channel. @throws if one is not installed */
  prepare?(): Promise<void>;
  /** The log message about a delivered notice, in Java's words. */
  delivered(jobName: string): string;
  /** The log message about a notice that was not delivered, in Java's words, without the reason. */
  failed(jobName: string): string;
}

/** The text without the secrets: neither plain, nor encoded for URLs, nor in Base64. */
export function redacted(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
    // The longest first: a secret may contain another one.
    .sort((one, other) => other.length - one.length);
  return forms.reduce((rest, form) => rest.replaceAll(form, '***'), text);
}
