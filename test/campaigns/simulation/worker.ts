/** Plays the histories that its parent process asks for, and answers for each what was wrong with it. */
import { type Answer, type Portion } from './campaign.js';
import { type History } from './history.js';
import { faultsOf, historyOfKind } from './kind.js';
import { type Fault } from './oracle.js';

process.on('message', (portion: Portion) => void answer(portion));

async function answer({ kind, firstSeed, histories }: Portion): Promise<void> {
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const history = historyOfKind(kind, seed);
    // One after the other: they share what is random in this process.
    const faults = await faultsOrError(history);
    process.send?.({ seed, features: history.features ?? [], faults } satisfies Answer);
  }
}

async function faultsOrError(history: History): Promise<readonly Fault[]> {
  try {
    return await faultsOf(history);
  } catch (error) {
    return [{ rule: 'error', text: error instanceof Error ? (error.stack ?? error.message) : String(error) }];
  }
}
