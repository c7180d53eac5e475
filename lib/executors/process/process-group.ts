/**
 * Child processes that lead a group of their own, so that everything they start ends with them. If this process exits,
 * it kills the remaining groups: a peer takes over the items, and they must not run twice. If it is killed and can do
 * nothing any more, its watchdog ends the groups.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from './watchdog.js';

/** A request to end, which a process may ignore, or the signal that ends it. */
export type Ending = 'SIGTERM' | 'SIGKILL';

const leaders = new Set<ChildProcess>();

/**
 * Must be called just before a leader is started: the watchdog must run before the leader does, so that no moment
 * leaves the leader unwatched.
 * @returns true if groups end also when this process is killed
 */
export function prepareGroup(): boolean {
  return watchGroups();
}

/**
 * Notes that `leader` runs, until it is forgotten. Must be called in the same turn of the event loop in which it was
 * started.
 */
export function remember(leader: ChildProcess): void {
  if (leaders.size === 0) process.on('exit', killAll);
  leaders.add(leader);
  watchGroups();
}

/** Notes that no process of `leader`'s group need be killed any more. */
export function forget(leader: ChildProcess): void {
  leaders.delete(leader);
  if (leaders.size === 0) process.off('exit', killAll);
  watchGroups();
}

function watchGroups(): boolean {
  // On Windows, Node's job objects end the programs.
  if (process.platform === 'win32') return true;
  return watch([...leaders].flatMap(({ pid }) => (pid === undefined ? [] : [pid])));
}

function killAll(): void {
  for (const leader of leaders) {
    if (process.platform === 'win32') leader.kill();
    else endGroup(leader, 'SIGKILL');
  }
}

/** Ends the processes of a group. Does nothing if there are none. */
export function endGroup(leader: ChildProcess, ending: Ending): void {
  if (leader.pid === undefined) return;
  if (process.platform === 'win32') endTree(leader.pid, ending);
  else signalGroup(leader.pid, ending);
}

/** True if processes of the group are left. Windows has no groups, so there only the leader counts. */
export function isGroupAlive(leader: ChildProcess): boolean {
  if (leader.pid === undefined) return false;
  if (process.platform === 'win32') return leader.exitCode === null && leader.signalCode === null;
  return signalGroup(leader.pid, 0);
}

/** @returns true if the group has a process */
function signalGroup(pid: number, signal: Ending | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: the group has processes, but they belong to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function endTree(pid: number, ending: Ending): void {
  const force = ending === 'SIGKILL' ? ['/f'] : [];
  const taskkill = spawn('taskkill', ['/pid', String(pid), '/t', ...force], { stdio: 'ignore', windowsHide: true });
  // Every Windows has taskkill; without it, the leader at least ends.
  taskkill.on('error', () => void process.kill(pid));
}
