/**
 * Process groups end with this process, however it ends: by SIGKILL, by the out-of-memory killer, by a signal without a
 * handler. In none of these cases can this process end them itself, and a peer that takes over the items would run them
 * a second time at once.
 *
 *     this process ──(pipe: "4711 4712\n", all groups that run)──▶ watchdog, a `sh` of about one megabyte
 *
 * The kernel closes the pipe when this process is gone. The watchdog then reads its end, and ends the groups of the
 * last line. It has a session of its own and ignores the polite signals, so neither Ctrl-C of a terminal nor `systemctl
 * stop` ends it first. No other process holds the pipe: Node marks its descriptors to be closed in new programs.
 *
 * One watchdog serves all groups of this process, begins before the first of them, and stays. Windows has none: there,
 * Node puts each program that it starts into a job object, which ends the program, but not the processes that the
 * program has started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type Socket } from 'node:net';

/** The seconds between SIGTERM and SIGKILL for a group. POSIX's `sleep` takes whole seconds only. */
const GRACE_S = 1;

/**
 * The first line explains the watchdog in a list of processes. An incomplete line is ignored, as `read` fails at it.
 */
const PROGRAM = `# nestjs-elasticjob: when process ${process.pid} has ended, this ends the programs that it has started
trap '' HUP INT TERM
groups=
while read -r line; do groups=$line; done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -TERM "-$group"; done
sleep ${GRACE_S}
for group in $groups; do kill -KILL "-$group"; done
`;

let watchdog: ChildProcess | undefined;
let watched: readonly number[] = [];

/**
 * Makes the watchdog end these groups when this process has ended; replaces the former list.
 * @param groups ids of all process groups that run
 * @returns true if the watchdog runs; false if the machine has no /bin/sh, or cannot start it
 */
export function watch(groups: readonly number[]): boolean {
  watched = groups;
  watchdog ??= startWatchdog();
  watchdog?.stdin?.write(`${groups.join(' ')}\n`);
  return watchdog !== undefined;
}

function startWatchdog(): ChildProcess | undefined {
  const child = spawn('/bin/sh', ['-c', PROGRAM], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.once('exit', (_code, signal) => {
    watchdog = undefined;
    // A signal has killed it, so another one is started. If it ended by itself, another one could not run here either.
    if (signal !== null) watch(watched);
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  if (child.pid === undefined) return undefined;
  // The watchdog does not keep this process alive.
  child.unref();
  (child.stdin as Partial<Socket>).unref?.();
  return child;
}
