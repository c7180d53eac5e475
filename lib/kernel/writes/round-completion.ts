import { type RoundCompletion } from '../../api/events/run-events.js';
import { encodeRounds, withRounds } from '../../layout/x-node/round-record.js';
import { pathsDownTo } from '../../registry/node-paths.js';
import { type Operation } from '../../registry/registry-center.js';
import { type JobContext } from '../job/job-context.js';
import { type CompletedRound } from '../graph/rounds.js';

/**
 * Puts complete rounds on record. They follow from what the commits that ended their items have written, so if this
 * instance dies first, another one does it.
 * @param rounds in the order of their instants, all later than those on record in the present view
 * @throws RegistryConflictError if another instance has done so
 */
export async function completeRounds(
  context: JobContext & { readonly observers: { notifyOfRound(round: RoundCompletion): void } },
  rounds: readonly CompletedRound[],
): Promise<void> {
  const { registry, watch, paths, clock, logger, observers } = context;
  // A record has whole milliseconds, whatever the clock.
  const completedAt = Math.floor(clock.now());
  const added = rounds.map((round) => ({ ...round, completedAt }));
  const value = encodeRounds(withRounds(watch.view.graph.rounds, added));
  const version = watch.nodes.get(paths.rounds)?.version;
  const parents = pathsDownTo(paths.graph, paths.root).filter((path) => !watch.nodes.has(path));
  const operations: readonly Operation[] =
    version === undefined
      ? [
          ...parents.map((path) => ({ type: 'create', path, value: '' }) as const),
          { type: 'create', path: paths.rounds, value },
        ]
      : [{ type: 'set', path: paths.rounds, value, version }];
  await registry.commit(operations);
  for (const { instant, outcome, failed: failedItems } of rounds) {
    logger.debug(`the round of ${new Date(instant).toISOString()} is complete: ${outcome}.`);
    const { jobName } = paths;
    observers.notifyOfRound({ jobName, instant: new Date(instant), at: new Date(completedAt), outcome, failedItems });
  }
}
