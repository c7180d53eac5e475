import { expect, test } from '@jest/globals';
import { OutageLog } from '../../../lib/registry/outage-log.js';
import { OUTAGE_WORDS, serverFault } from '../../../lib/registry/zookeeper/outage-words.js';
import { type ConnectionFault } from '../../../lib/registry/zookeeper/transport.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const REFUSED: ConnectionFault = {
  server: 'a:2181',
  problem: 'refuses connections',
  detail: 'ECONNREFUSED',
  cure: 'Check A.',
};
const SILENT: ConnectionFault = { server: 'b:2181', problem: 'does not answer', detail: '5 ms', cure: 'Check B.' };

function outageLog(): { clock: ManualClock; lines: string[]; log: OutageLog } {
  const clock = new ManualClock();
  const lines: string[] = [];
  const logger = {
    debug: () => undefined,
    log: (line: string) => void lines.push(`log ${line}`),
    warn: (line: string) => void lines.push(`warn ${line}`),
    error: () => undefined,
  };
  return { clock, lines, log: new OutageLog({ clock, logger, words: OUTAGE_WORDS }) };
}

test('each reason of each server is logged once in an outage, however often it comes again', () => {
  const { log, lines } = outageLog();

  for (const detail of ['first', 'second']) {
    log.failed(serverFault({ ...REFUSED, detail }));
    log.failed(serverFault(SILENT));
  }
  log.failed(serverFault({ ...REFUSED, problem: 'hangs up' }));

  expect(lines).toEqual([
    'warn ZooKeeper server a:2181 refuses connections (first). Check A.',
    'warn ZooKeeper server b:2181 does not answer (5 ms). Check B.',
    'warn ZooKeeper server a:2181 hangs up (ECONNREFUSED). Check A.',
  ]);
});

test('an outage is logged again every minute, with how long it has lasted and the newest reason of each server', async () => {
  const { clock, log, lines } = outageLog();
  log.failed(serverFault(REFUSED));
  log.failed(serverFault(SILENT));
  lines.length = 0;

  await clock.advance(60_000);
  log.failed(serverFault({ ...SILENT, detail: '9 ms', cure: REFUSED.cure }));
  await clock.advance(60_000);

  expect(lines).toEqual([
    'warn No ZooKeeper server has been reached for 1 minute: a:2181 refuses connections (ECONNREFUSED); b:2181 does not answer (5 ms). Check A. Check B.',
    'warn No ZooKeeper server has been reached for 2 minutes: a:2181 refuses connections (ECONNREFUSED); b:2181 does not answer (9 ms). Check A.',
  ]);
});

test.each([
  [40, '40 ms'],
  [12_000, '12 s'],
  [185_000, '3 minutes'],
])('the end of an outage of %d ms is logged once, and nothing follows', async (lastingMs, text) => {
  const { clock, log, lines } = outageLog();
  log.failed(serverFault(REFUSED));
  await clock.advance(lastingMs);
  lines.length = 0;

  log.connected('b:2181');
  log.connected('b:2181');
  await clock.advance(300_000);

  expect(lines).toEqual([`log ZooKeeper server b:2181 is connected, after ${text} without a connection.`]);
  expect(log.reason).toBeUndefined();
});

test('the next outage is logged like the first one, with its own beginning', async () => {
  const { clock, log, lines } = outageLog();
  log.failed(serverFault(REFUSED));
  log.connected('a:2181');
  await clock.advance(100_000);
  lines.length = 0;

  log.failed(serverFault(REFUSED));
  await clock.advance(60_000);

  expect(lines).toEqual([
    'warn ZooKeeper server a:2181 refuses connections (ECONNREFUSED). Check A.',
    'warn No ZooKeeper server has been reached for 1 minute: a:2181 refuses connections (ECONNREFUSED). Check A.',
  ]);
});

test('a log that is closed leaves no timer, and logs no fault that comes late', async () => {
  const { clock, log, lines } = outageLog();
  log.failed(serverFault(REFUSED));
  lines.length = 0;

  log.close();
  log.failed(serverFault(SILENT));
  await clock.advance(300_000);

  expect(lines).toEqual([]);
});
