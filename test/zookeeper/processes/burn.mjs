// Keeps a processor busy for BURN_MS milliseconds without a pause, as a computation does: on the main thread as a job's
// method, or in a worker thread as a module's default export. Says when it begins and when it ends.
import { writeSync } from 'node:fs';

export default function burn() {
  // Not by console: a thread's output waits for the main thread.
  writeSync(1, `burn begins ${Date.now()}\n`);
  const end = performance.now() + Number(process.env.BURN_MS);
  while (performance.now() < end);
  writeSync(1, `burn ends ${Date.now()}\n`);
}
