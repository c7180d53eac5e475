/**
 * Detects the end of npm. A signal for `npx elasticjob console` reaches npm and its shell, which end without passing it
 * on: the command would go on, and nothing would end it. So it checks whether its parent process has changed.
 */
import { type Clock } from '../../time/clock.js';

/** The facts about this process that the detection needs. */
export interface LaunchedProcess {
  /** The id of its present parent process. */
  readonly ppid: number;
  /** The id of its parent process when it began. */
  readonly launcher: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The milliseconds between two checks of the parent. */
const INTERVAL_MS = 1_000;

/** The commands of npm that start a program and wait for it: `npx`, `npm exec`, `npm run`, `npm start`. */
const LAUNCHERS: readonly (string | undefined)[] = ['exec', 'run', 'run-script', 'start'];

/**
 * Calls `listener` once when the npm that started the process has ended. A process that npm did not start may outlive
 * its parent, for instance with `nohup`.
 * @returns a function that ends the checks
 */
export function onLauncherGone(launched: LaunchedProcess, clock: Clock, listener: () => void): () => void {
  if (!LAUNCHERS.includes(launched.env['npm_command'])) return () => undefined;
  const look = (): void => {
    if (launched.ppid === launched.launcher) cancel = clock.after(INTERVAL_MS, look);
    else listener();
  };
  // Not within the call: the listener may use the returned function.
  let cancel = clock.after(0, look);
  return () => cancel();
}
