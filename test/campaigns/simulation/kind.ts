/** The kinds of histories that a campaign can play: of one job, or of several of which some run after others. */
import { type History } from './history.js';
import { graphHistoryOf } from './graphs/graph-storyteller.js';
import { judgeGraph } from './graphs/graph-oracle.js';
import { type Fault, judge } from './oracle.js';
import { play } from './player.js';
import { historyOf } from './storyteller.js';

/** `one-job`: what seeds have always meant. `graph`: the same with further jobs. */
export type Kind = 'one-job' | 'graph';

/** The history of a seed. */
export function historyOfKind(kind: Kind, seed: number): History {
  return kind === 'graph' ? graphHistoryOf(seed) : historyOf(seed);
}

/** Plays a history, and judges it by the rules of its kind. */
export async function faultsOf(history: History): Promise<readonly Fault[]> {
  const recording = await play(history);
  return history.others === undefined ? judge(history, recording) : judgeGraph(history, recording);
}
