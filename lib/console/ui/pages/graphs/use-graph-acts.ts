import { type BegunRoundAnswer, type RunAgainRequest } from '../../../contract/graphs.js';
import { segment, send } from '../../api/client.js';
import { dateTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { confirm, type Reason } from '../../state/confirmation.js';

/** The acts of an operator on a graph; each asks for a confirmation and a reason. */
export interface GraphActs {
  readonly trigger: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Runs a round again, as a new one: from a job, or all that has failed. */
  readonly runAgain: (instant: number, from?: string) => void;
  readonly stop: (instant: number) => void;
  readonly skip: (instant: number, jobName: string) => void;
}

/**
 * @param path of the graph in the API
 * @param name of the graph
 * @param onBegun called with a round that an act has begun
 * @param onDone called after each act
 */
export function useGraphActs(
  path: () => string,
  name: () => string,
  { onBegun, onDone }: { readonly onBegun: (instant: number) => void; readonly onDone: () => void },
): GraphActs {
  const post = async (below: string, body: Reason | RunAgainRequest): Promise<void> => {
    const answer = await send<BegunRoundAnswer | undefined>('POST', `${path()}/${below}`, { body });
    if (answer?.instant !== undefined) onBegun(answer.instant);
    onDone();
  };
  const roundName = (instant: number): string => `${name()}, ${dateTime(instant)}`;
  return {
    trigger: () =>
      confirm({
        ...{ action: t('graph.trigger'), name: name(), effect: t('graph.trigger.effect'), hasReason: true },
        ...{ done: t('graph.done'), carryOut: (why) => post('trigger', why) },
      }),
    pause: () =>
      confirm({
        ...{ action: t('graph.pause'), name: name(), effect: t('graph.pause.effect'), hasReason: true },
        ...{ done: t('graph.done'), carryOut: (why) => post('pause', why) },
      }),
    resume: () =>
      confirm({
        ...{ action: t('graph.resume'), name: name(), effect: t('graph.resume.effect'), hasReason: true },
        ...{ done: t('graph.done'), carryOut: (why) => post('resume', why) },
      }),
    runAgain: (instant, from) =>
      confirm({
        ...{ action: t('graph.again'), name: roundName(instant), hasReason: true, done: t('graph.done') },
        effect: from === undefined ? t('graph.again.effect') : t('graph.againFrom.effect', { job: from }),
        carryOut: (why) => post(`rounds/${instant}/again`, { ...why, ...(from !== undefined && { from }) }),
      }),
    stop: (instant) =>
      confirm({
        ...{ action: t('graph.stop'), name: roundName(instant), effect: t('graph.stop.effect'), hasReason: true },
        ...{ isDanger: true, done: t('graph.done'), carryOut: (why) => post(`rounds/${instant}/stop`, why) },
      }),
    skip: (instant, jobName) =>
      confirm({
        ...{ action: t('graph.skip'), name: jobName, effect: t('graph.skip.effect'), hasReason: true },
        ...{ isDanger: true, done: t('graph.done') },
        carryOut: (why) => post(`rounds/${instant}/jobs/${segment(jobName)}/skip`, why),
      }),
  };
}
