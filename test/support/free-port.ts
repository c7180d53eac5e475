import { createServer } from 'node:net';

/**
 * A loopback port that nothing listens on. Taken from below the range that the kernel hands out to outgoing
 * connections, so that a server that is stopped for a while finds its port free when it comes back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
