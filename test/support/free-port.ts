import { createServer } from 'node:net';

/** Below the range that the kernel hands out to outgoing connections. */
const FIRST_PORT = 20_000;
const PORTS_OF_A_PROCESS = 200;
const SHARES = 60;

/** Two tests of one file never get the same port. */
const handedOut = new Set<number>();

/**
 * A loopback port that nothing listens on. No outgoing connection takes it, so that a server that is stopped for a
 * while finds its port free when it comes back. Each process has ports of its own, or another one that runs tests could
 * take the port before its server listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const share = process.pid % SHARES;
    const port = FIRST_PORT + share * PORTS_OF_A_PROCESS + Math.floor(Math.random() * PORTS_OF_A_PROCESS);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
