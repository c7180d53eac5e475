/**
 * The end of npm. A signal for `npx elasticjob console` reaches npm and its shell, and both end without passing it on:
 * the command would go on without anybody who could end it. It notices that its parent is another one.
 */
import { type Clock } from '../../time/clock.js';

/** What is asked of the process. */
export interface LaunchedProcess {
  /** The process that is its parent now. */
  readonly ppid: number;
  /** The process that was its parent when it began. */
  readonly launcher: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How often the parent is looked at, in milliseconds. */
const INTERVAL_MS = 1_000;

/** The commands of npm that start a program and wait for it: `npx`, `npm exec`, `npm run`, `npm start`. */
const LAUNCHERS: readonly (string | undefined)[] = ['exec', 'run', 'run-script', 'start'];

/**
 * Calls `listener` once when the npm that has started the process has ended. A process that anybody else has started
 * may outlive its parent, as one with `nohup` does.
 * @returns a function that ends this
 */
export function onLauncherGone(launched: LaunchedProcess, clock: Clock, listener: () => void): () => void {
  if (!LAUNCHERS.includes(launched.env['npm_command'])) return () => undefined;
  const look = (): void => {
    if (launched.ppid === launched.launcher) cancel = clock.after(INTERVAL_MS, look);
    else listener();
  };
  // Not within the call: the listener may use what this returns.
  let cancel = clock.after(0, look);
  return () => cancel();
}
