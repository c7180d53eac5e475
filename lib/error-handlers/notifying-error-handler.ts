import { inEnglish } from '../wording/wording.js';
import { type JobErrorHandler, type JobFailure } from '../api/extensions/error-handler.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { unknownKeyDoubts } from '../api/settings/known-properties.js';
import { JobNotifier, type NotifierDeps } from './job-notifier.js';
import { type ChannelSettings, type NoticeChannel } from './notice-channel.js';

/** An error handler that notifies people of failures through a channel; each job has its own notifier. */
export class NotifyingErrorHandler<Settings extends ChannelSettings> implements JobErrorHandler {
  readonly type: string;
  readonly #channel: NoticeChannel<Settings>;
  readonly #deps: NotifierDeps;
  readonly #notifiers = new Map<string, JobNotifier<Settings>>();

  constructor(channel: NoticeChannel<Settings>, deps: NotifierDeps) {
    this.type = channel.type;
    this.#channel = channel;
    this.#deps = deps;
  }

  validate({ props }: JobConfiguration): readonly string[] {
    const reading = this.#channel.read(props);
    return 'problems' in reading ? reading.problems : [];
  }

  doubts({ props }: JobConfiguration): readonly string[] {
    const { type, keys } = this.#channel;
    return [
      ...unknownKeyDoubts(props, keys, `the error handler ${type}`).map(inEnglish),
      ...(this.#channel.doubts?.(props) ?? []),
    ];
  }

  async prepare(): Promise<void> {
    await this.#channel.prepare?.();
  }

  handleException(failure: JobFailure): void {
    const { jobName } = failure.configuration;
    let notifier = this.#notifiers.get(jobName);
    if (notifier === undefined) {
      notifier = new JobNotifier(this.#channel, this.#deps);
      this.#notifiers.set(jobName, notifier);
    }
    notifier.add(failure);
  }

  async release(jobName: string): Promise<void> {
    const notifier = this.#notifiers.get(jobName);
    this.#notifiers.delete(jobName);
    await notifier?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#notifiers.keys()].map((jobName) => this.release(jobName)));
  }
}
