import { type JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter } from '../../registry/registry-center.js';

/** Longest wait for the election latch. A participant that died holds it until its session ends. */
const LATCH_TIMEOUT_MS = 60_000;

/** Who stands for election, and where. */
export interface Candidacy {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  readonly me: string;
  /** Whether this instance still wants to lead; asked when its turn has come. */
  readonly isStanding: () => boolean;
}

/**
 * Makes this instance the leader unless there is one; Java peers take part through the same latch. Leading means to own a
 * session node, so that it ends with the session by itself.
 * @returns whether this call made it the leader
 */
export function campaign({ registry, paths, me, isStanding }: Candidacy): Promise<boolean> {
  return registry.exclusively(paths.electionLatch, LATCH_TIMEOUT_MS, async () => {
    if (!isStanding()) return false;
    const won = await registry.create(paths.leader, me, 'session');
    if (!won || isStanding()) return won;
    // Withdrawn in between: a leader that does not take part would block the job for as long as this process lives.
    await registry.remove(paths.leader);
    return false;
  });
}
