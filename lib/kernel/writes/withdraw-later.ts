import { describeCause } from '../../api/text/describe-cause.js';
import { type JobLogger } from '../../api/text/logger.js';
import { isLostRace } from '../../api/errors/registry-errors.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { decodeWithdrawals, encodeWithdrawals } from '../../layout/x-node/withdrawals.js';
import { type Operation, type RegistryCenter, type SessionState } from '../../registry/registry-center.js';
import { ownNodes } from './registration.js';

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

/**
 * Writes down that an instance stops, so that peers do not take it for crashed. Without the node, does nothing. The version
 * keeps what a peer notes at the same moment; each repetition means that another peer has written its note.
 */
async function noteWithdrawal(registry: RegistryCenter, paths: JobPaths, id: string): Promise<void> {
  const lives = await registry.mirror(paths.lives);
  try {
    for (let note = lives.nodes.get(paths.lives); note !== undefined; note = lives.nodes.get(paths.lives)) {
      const value = encodeWithdrawals([id, ...decodeWithdrawals(note.value ?? '')]);
      const isNoted = await commits(registry, [{ type: 'set', path: paths.lives, value, version: note.version }]);
      if (isNoted) return;
      await lives.sync();
    }
  } finally {
    lives.close();
  }
}

/** @returns false if the race was lost: the operations do not fit what the registry centre has now */
async function commits(registry: RegistryCenter, operations: readonly Operation[]): Promise<boolean> {
  try {
    await registry.commit(operations);
    return true;
  } catch (error) {
    if (!isLostRace(error)) throw error;
    return false;
  }
}
