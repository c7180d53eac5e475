/** Plays the histories that its parent process asks for, and answers for each what was wrong with it. */
import { type Answer, type Portion } from './campaign.js';
import { type Fault, judge } from './oracle.js';
import { play } from './player.js';
import { historyOf } from './storyteller.js';

process.on('message', (portion: Portion) => void answer(portion));

async function answer({ firstSeed, histories }: Portion): Promise<void> {
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    // One after the other: they share what is random in this process.
    process.send?.({ seed, faults: await faultsOf(seed) } satisfies Answer);
  }
}

async function faultsOf(seed: number): Promise<readonly Fault[]> {
  const history = historyOf(seed);
  try {
    return judge(history, await play(history));
  } catch (error) {
    return [{ rule: 'error', text: error instanceof Error ? (error.stack ?? error.message) : String(error) }];
  }
}
