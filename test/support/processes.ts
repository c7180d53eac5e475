import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** True if a process runs; one that has ended and waits for its parent to notice does not. */
export function isRunning(pid: number | string): boolean {
  const state = existsSync('/proc/self/stat') ? stateInProc(pid) : stateByPs(pid);
  return state !== undefined && state !== 'Z';
}

/** The name of the program, in parentheses, may contain anything; the state comes after it. */
function stateInProc(pid: number | string): string | undefined {
  try {
    return /^.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function stateByPs(pid: number | string): string | undefined {
  return spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trim()[0];
}
