import { describeCause } from '../../api/describe-cause.js';
import { type JobLogger } from '../../api/logger.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter, type SessionState } from '../../registry/registry-center.js';
import { noteWithdrawal, ownNodes } from './registration.js';

/** What withdrawing later needs. */
export interface WithdrawalDeps {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  readonly me: string;
  /** Id of the session in which it is registered. */
  readonly session: string;
  readonly logger: JobLogger;
}

/**
 * Removes an instance that could not withdraw when it stopped, as soon as its session is connected again: as long as the
 * process keeps that session, peers would take the instance for living and leave it its items. When the session is over,
 * there is nothing left to do.
 * @returns a function that gives it up
 */
export function withdrawWhenPossible({ registry, paths, me, session, logger }: WithdrawalDeps): () => void {
  let isOver = false;
  const end = (): void => {
    isOver = true;
    unsubscribe();
  };
  const attempt = async (): Promise<void> => {
    if ((await registry.get(paths.leader)) === me && !isOver) await registry.remove(paths.leader);
    if (!isOver) await noteWithdrawal(registry, paths, me);
    for (const path of ownNodes(paths, me)) if (!isOver) await registry.remove(path);
    end();
  };
  const onState = (state: SessionState): void => {
    if (state.phase === 'suspended' || state.phase === 'connecting' || isOver) return;
    if (state.phase !== 'connected' || state.id !== session) return end();
    // A failure means that the connection is breaking again; the session's next change is followed by another attempt.
    attempt().catch((error: unknown) =>
      logger.warn(`the stopped instance ${me} could not withdraw yet: ${describeCause(error)}`),
    );
  };
  const unsubscribe = registry.session.onChange(onState);
  onState(registry.session.state);
  return end;
}
