/** Plays the histories that its parent process asks for, and answers for each what was wrong with it. */
import { type Answer, type Portion } from './campaign.js';
import { type History } from './history.js';
import { type Fault, judge } from './oracle.js';
import { play } from './player.js';
import { historyOf } from './storyteller.js';

process.on('message', (portion: Portion) => void answer(portion));

async function answer({ firstSeed, histories }: Portion): Promise<void> {
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const history = historyOf(seed);
    // One after the other: they share what is random in this process.
    const faults = await faultsOf(history);
    process.send?.({ seed, features: history.features ?? [], faults } satisfies Answer);
  }
}

async function faultsOf(history: History): Promise<readonly Fault[]> {
  try {
    return judge(history, await play(history));
  } catch (error) {
    return [{ rule: 'error', text: error instanceof Error ? (error.stack ?? error.message) : String(error) }];
  }
}
