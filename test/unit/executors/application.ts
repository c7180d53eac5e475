/**
 * An application in a process of its own that runs the script of its argument once more with each message, unless that
 * has it end.
 */
import { scriptExecutor } from '../../../lib/executors/script/script-executor.js';
import { systemClock } from '../../../lib/time/clock.js';
import { runItem } from './stage.js';

process.on('message', (message) => {
  if (message === 'out of memory') process.abort();
  if (message === 'exit') process.exit(0);
  void run();
});
await run();
process.disconnect();

async function run(): Promise<void> {
  const { ended } = runItem(scriptExecutor(systemClock), { 'script.command.line': process.argv[2] ?? '' });
  process.send?.('running');
  await ended;
}
