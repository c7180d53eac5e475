import { type History, type Job, type Step } from './history.js';
import { judge } from './oracle.js';
import { play } from './player.js';
import { type Recording } from './recording.js';

/** A history of quick items without any trouble, but for the changes. */
export function aHistory(
  steps: readonly Step[],
  { job, ...changes }: Partial<Omit<History, 'job' | 'steps'>> & { readonly job?: Partial<Job> } = {},
): History {
  return {
    seed: 1,
    job: {
      ...{ periodSeconds: 10, shardingTotalCount: 2, failover: false, misfire: true, monitorExecution: true },
      jobShardingStrategyType: 'AVG_ALLOCATION',
      ...job,
    },
    ...{ behaviours: [], poolSize: 20, slowestMessageMs: 0, ...changes },
    steps,
  };
}

export function join(name: string, atMs = 0): Step {
  return { atMs, type: 'join', name, skewMs: 0 };
}

/** Rules that a recording of the history breaks. */
export function brokenRules(history: History, recording: Recording): readonly string[] {
  return [...new Set(judge(history, recording).map(({ rule }) => rule))];
}

/** Rules that the history breaks; `change` may change its recording before it is judged. */
export async function rulesBrokenBy(
  history: History,
  change: (recording: Recording) => Partial<Recording> = () => ({}),
): Promise<readonly string[]> {
  const recording = await play(history);
  return brokenRules(history, { ...recording, ...change(recording) });
}

/** A recording's commits with each of their changes for which `isKept` says so. */
export function commitsWith(
  { commits }: Recording,
  isKept: (change: Recording['commits'][number]['changes'][number], commit: Recording['commits'][number]) => boolean,
): Recording['commits'] {
  return commits.map((commit) => ({ ...commit, changes: commit.changes.filter((change) => isKept(change, commit)) }));
}
