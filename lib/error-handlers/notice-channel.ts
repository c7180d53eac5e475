import { type Notice } from './failure-text.js';
import { type Props, type Reading } from './props-reader.js';

/** How long a digest gathers failures if the job does not say, in milliseconds. */
export const DEFAULT_DIGEST_MS = 60_000;

/** What all channels are configured with. */
export interface ChannelSettings {
  /** Texts that must not be shown in logs. */
  readonly secrets: readonly string[];
  /** How long after a notice further failures are gathered, in milliseconds. */
  readonly digestMs: number;
  /** How long one attempt at delivering may take, in milliseconds. */
  readonly attemptMs: number;
}

/** One way by which notices reach people. It keeps nothing between two notices. */
export interface NoticeChannel<Settings extends ChannelSettings = ChannelSettings> {
  /** The type of the error handler. */
  readonly type: string;
  /** The keys of all properties that it reads. */
  readonly keys: readonly string[];
  /** What is allowed in the properties, but probably not intended, besides unknown keys. Default: nothing. */
  doubts?(props: Props): readonly string[];
  /** The settings of a job, or what is wrong with them. */
  read(props: Props): Reading<Settings>;
  /**
   * Delivers a notice. It ends soon after the signal has aborted.
   * @returns what is to be remarked although it was delivered, or undefined
   * @throws DeliveryError if it was not delivered; anything else counts as transient
   */
  send(notice: Notice, settings: Settings, signal: AbortSignal): Promise<string | undefined>;
  /** Loads what it needs. @throws if that is not installed */
  prepare?(): Promise<void>;
  /** What the log says of a notice that was delivered; Java's words. */
  delivered(jobName: string): string;
  /** What the log says of a notice that was not delivered; Java's words, which end before the reason. */
  failed(jobName: string): string;
}

/** The text without the secrets in it, as they are, encoded for URLs, or in Base64. */
export function redacted(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
    // The longest first: a secret may contain another one.
    .sort((one, other) => other.length - one.length);
  return forms.reduce((rest, form) => rest.replaceAll(form, '***'), text);
}
