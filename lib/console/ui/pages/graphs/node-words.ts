import { type GraphNode, type NodeRoundRow } from '../../../contract/graphs.js';
import { nameOf, t } from '../../i18n/i18n.js';

/** The state of a job in a round, in a few words. @param round `undefined` if no round is chosen */
export function nodeWords(node: GraphNode, round: NodeRoundRow | undefined): string {
  const more = moreWords(node, round);
  if (!hasState(node, round)) return more;
  return [nameOf('roundState', round.state), ...(more === '' ? [] : [more])].join(' · ');
}

/** True if the job has a state in the round. */
export function hasState({ exists }: GraphNode, round: NodeRoundRow | undefined): round is NodeRoundRow {
  return exists && round?.takesPart === true;
}

/** Words beside the state of a job in a round; the empty text if there is nothing to add. */
export function moreWords({ exists }: GraphNode, round: NodeRoundRow | undefined): string {
  if (!exists) return t('graph.missing');
  if (round === undefined) return t('graphs.noRound');
  if (!round.takesPart) return t('graph.noPart');
  if (round.madeUpBy !== undefined) return t('graph.madeUp');
  if (round.isCarried) return t('graph.carried');
  const { total, ended } = round.items;
  return round.state === 'running' || round.state === 'failed' ? `${ended}/${total}` : '';
}
