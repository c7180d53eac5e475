/** Plays the histories that its parent process asks for, and answers for each what was wrong with it. */
import { type Answer, type Portion } from './campaign.js';
import { type History } from './history.js';
import { isExempt, unknownFaults } from './not-yet.js';
import { type Fault, judge } from './oracle.js';
import { play } from './player.js';
import { historyOf } from './storyteller.js';

process.on('message', (portion: Portion) => void answer(portion));

async function answer({ firstSeed, histories, expects }: Portion): Promise<void> {
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    // One after the other: they share what is random in this process.
    process.send?.(await answerOf(seed, expects));
  }
}

async function answerOf(seed: number, expects: Portion['expects']): Promise<Answer> {
  const history = historyOf(seed);
  const features = history.features ?? [];
  if (expects === 'what holds' && isExempt(history)) return { seed, features, faults: [], known: [], isJudged: false };
  const all = await faultsOf(history);
  const faults = expects === 'everything' ? all : unknownFaults(history, all);
  const known = [...new Set(all.filter((fault) => !faults.includes(fault)).map(({ rule }) => rule))];
  return { seed, features, faults, known, isJudged: true };
}

async function faultsOf(history: History): Promise<readonly Fault[]> {
  try {
    return judge(history, await play(history));
  } catch (error) {
    return [{ rule: 'error', text: error instanceof Error ? (error.stack ?? error.message) : String(error) }];
  }
}
