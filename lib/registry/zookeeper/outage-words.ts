import { type OutageWords, type ServerFault } from '../outage-log.js';
import { type ConnectionFault } from './transport.js';

/** As in `ZooKeeper server localhost:2181 refuses connections (ECONNREFUSED).` */
export const OUTAGE_WORDS: OutageWords = {
  fault: 'ZooKeeper server ',
  none: 'No ZooKeeper server',
  connected: 'ZooKeeper server ',
};

/** A failed attempt to connect, for the log of outages. */
export function serverFault({ server, problem, detail, cure }: ConnectionFault): ServerFault {
  return { server, problem, text: `${server} ${problem} (${detail})`, cure };
}
