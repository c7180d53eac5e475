/** Plays the histories that its parent process asks for, and answers with those in which something was wrong. */
import { type Answer, type Failure, type Portion } from './campaign.js';
import { judge } from './oracle.js';
import { play } from './player.js';
import { historyOf } from './storyteller.js';

process.on('message', (portion: Portion) => void answer(portion));

async function answer({ firstSeed, histories }: Portion): Promise<void> {
  const failures: Failure[] = [];
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const history = historyOf(seed);
    // One after the other: they share what is random in this process.
    const faults = judge(history, await play(history));
    if (faults.length > 0) failures.push({ seed, faults });
  }
  process.send?.({ failures } satisfies Answer);
}
