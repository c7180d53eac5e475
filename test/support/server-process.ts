import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * The shell between us and the server: when our end of its input closes, however we ended, it kills the server and
 * removes its folder; so no test run leaves anything behind.
 */
const GUARD = `"$@" >>"$SERVER_DIR/out.log" 2>&1 & echo $!
if read -r order; then kill -CONT $!; kill -"$order" $!; wait $!
else kill -CONT $!; kill -KILL $!; wait $!; rm -rf "$SERVER_DIR"; fi`;

/** The process of a server. Its output goes to `out.log` in its folder, which vanishes with this process. */
export class ServerProcess {
  #guard: ChildProcess | undefined;
  #pid = 0;

  /** @param directory the server's folder, which exists */
  constructor(private readonly directory: string) {}

  get isRunning(): boolean {
    return this.#guard !== undefined;
  }

  /** Starts the program; it must not run. */
  async start(command: readonly string[]): Promise<void> {
    const guard = spawn('sh', ['-c', GUARD, 'sh', ...command], {
      env: { ...process.env, SERVER_DIR: this.directory },
      stdio: ['pipe', 'pipe', 'ignore'],
      // In a process group of its own, or Ctrl-C would end the guard before it has cleaned up.
      detached: true,
    });
    this.#guard = guard;
    const [line] = (await once(guard.stdout, 'data')) as [Buffer];
    this.#pid = Number(line.toString());
  }

  /** Ends the program, also one that is frozen: in good order or at once. Resolves when it has ended. */
  async end(signal: 'TERM' | 'KILL'): Promise<void> {
    const guard = this.#guard;
    if (!guard) return;
    this.#guard = undefined;
    const ended = once(guard, 'exit');
    guard.stdin?.end(`${signal}\n`);
    await ended;
  }

  /** Freezes the program: connections stay open, nothing is answered. */
  pause(): void {
    process.kill(this.#pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.#pid, 'SIGCONT');
  }
}
