// Processes of Java's ElasticJob and of this library, started and driven alike.
import { Buffer } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../test/support/program.ts';
import { javaPeer } from '../../test/campaigns/interop/support/java.ts';
import { PeerProcess } from '../../test/campaigns/interop/support/peer-process.ts';

/** A limit as containers have one; all else is the virtual machine's default. */
export const JVM = ['-Xmx512m'];

/** `Node`, or a version of Java's ElasticJob: what is measured side by side. */
export const NODE = 'Node';

/** Starts instances; those that still run when it is closed are killed. */
export class Instances {
  #started = [];
  #isClosed = false;
  #count = 0;
  #folder = mkdtempSync(join(tmpdir(), 'bench-java-'));

  constructor(servers) {
    this.servers = servers;
  }

  /**
   * Starts a process without jobs and waits until it can be given some. `log` makes it write down its runs; without it,
   * its items do nothing at all.
   */
  async start(side, { namespace, servers = this.servers, sessionMs = 10_000, log = false }) {
    const ip = `10.0.${this.#count >> 8}.${++this.#count & 255}`;
    const runs = join(this.#folder, `${this.#count}.log`);
    const command =
      side === NODE
        ? [process.execPath, '--expose-gc', join(root, 'test/campaigns/interop/node-peer.mjs')]
        : javaPeer(side, JVM);
    const settings = { servers, namespace, ip, session: `${sessionMs}`, ...(log ? { runs } : {}) };
    const [file, ...args] = [...command, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])];
    const peer = await PeerProcess.start(file, args);
    const instance = new Instance(side, ip, peer, log ? new Runs(runs) : undefined);
    this.#started.push(instance);
    // An instance that was still starting when another one failed would keep the benchmark from ending.
    if (this.#isClosed) await instance.kill();
    return instance;
  }

  async close() {
    this.#isClosed = true;
    await Promise.all(this.#started.map((each) => each.kill()));
    rmSync(this.#folder, { recursive: true });
  }
}

class Instance {
  #process;
  #runs;

  constructor(side, ip, process, runs) {
    this.side = side;
    this.ip = ip;
    this.#process = process;
    this.#runs = runs;
  }

  get pid() {
    return this.#process.pid;
  }

  /** How its id in the registry centre begins. */
  get id() {
    return `${this.ip}@-@${this.pid}`;
  }

  /** Sends a command of the peers; rejects after 30 s. */
  async ask(...command) {
    try {
      return await this.#process.ask(...command);
    } catch (error) {
      throw new Error(`${this.side}: ${error.message}\n${this.#process.output.slice(-4_000)}`, { cause: error });
    }
  }

  /** Runs of a job's items that it has written down. */
  runsOf(job) {
    return this.#runs.read().filter((run) => run.job === job);
  }

  /** Resident memory in MiB and the number of threads, as Linux counts them. */
  get footprint() {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(status);
    const [, threads] = /^Threads:\s+(\d+)/m.exec(status);
    return { residentMiB: Number(kilobytes) / 1024, threads: Number(threads) };
  }

  async kill() {
    if (!this.#process.hasExited) await this.#process.kill();
  }
}

/** A growing log of runs, of which only what is new is read, so that looking often costs little. */
class Runs {
  #file;
  #at = 0;
  #rest = '';
  #runs = new Map();
  #chunk = Buffer.alloc(1 << 20);

  constructor(file) {
    this.#file = file;
  }

  read() {
    const file = openSync(this.#file, 'r');
    for (;;) {
      const length = readSync(file, this.#chunk, 0, this.#chunk.length, this.#at);
      if (length === 0) break;
      this.#at += length;
      const lines = (this.#rest + this.#chunk.toString('latin1', 0, length)).split('\n');
      this.#rest = lines.pop();
      for (const line of lines) this.#note(JSON.parse(line));
    }
    closeSync(file);
    return [...this.#runs.values()];
  }

  #note({ event, at, run, job, item }) {
    if (event === 'start') this.#runs.set(run, { job, item, startedAt: at, hasEnded: false });
    else if (event === 'end') this.#runs.get(run).hasEnded = true;
  }
}
