// Keeps a processor busy without a pause, as a computation does, until the file BURN_UNTIL exists: on the main thread
// as a job's method, or in a worker thread as a module's default export. Says when it begins and when it ends.
import { existsSync, writeSync } from 'node:fs';

export default function burn() {
  // Not by console: a thread's output waits for the main thread.
  writeSync(1, 'burn begins\n');
  let turns = 0;
  while (++turns % 1_000_000 !== 0 || !existsSync(process.env.BURN_UNTIL));
  writeSync(1, 'burn ends\n');
}
