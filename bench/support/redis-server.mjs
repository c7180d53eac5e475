// A real Redis for one run, on a free port of the loopback interface, with its own folder, which is removed after the
// run. It appends every write to its file and syncs once a second, as BullMQ's documentation asks for.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { freePort } = await import('../../test/support/free-port.ts');

const START_DEADLINE_MS = 10_000;
const HELP = `BullMQ needs a real Redis, and no redis-server was found. Do one of these:
  - on Debian or Ubuntu:  sudo apt-get install -y --no-install-recommends redis-server
  - measure without this peer:  --without bullmq`;

/** The version of the installed server. @throws with advice, if there is none */
export function redisVersion() {
  const { error, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  if (error !== undefined) throw new Error(HELP, { cause: error });
  return /v=([\d.]+)/.exec(stdout)?.[1];
}

/** Starts a server. `cpuMs()` is the processor's time that it has used, if the system reports it (Linux). */
export async function startRedis() {
  redisVersion();
  const [folder, port] = [await mkdtemp(join(tmpdir(), 'bench-redis-')), await freePort()];
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'everysec' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const exited = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + START_DEADLINE_MS;
  while (!(await answers(port))) {
    if (performance.now() < deadline) await sleep(50);
    else {
      await stop();
      throw new Error(`redis-server did not answer on 127.0.0.1:${port} within ${START_DEADLINE_MS / 1_000} s.`);
    }
  }
  return { port, cpuMs: () => cpuMsOf(server.pid), stop };
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data).startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}

/** Milliseconds of the processor's time of another process; undefined where /proc does not exist. */
export function cpuMsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    // User and system time, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}
