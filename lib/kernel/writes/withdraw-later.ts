import { describeCause } from '../../api/text/describe-cause.js';
import { type JobLogger } from '../../api/text/logger.js';
import { isLostRace } from '../../api/errors/registry-errors.js';
import { backoffMs } from '../../async/backoff.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { decodeWithdrawals, encodeWithdrawals } from '../../layout/x-node/withdrawals.js';
import { type Operation, type RegistryCenter, type SessionState } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { ownNodes } from './registration.js';

/** Dependencies of a later withdrawal. */
export interface WithdrawalDeps {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  readonly me: string;
  /** Id of the session in which it is registered. */
  readonly session: string;
  readonly logger: JobLogger;
  readonly clock: Clock;
}

/** The pauses between attempts in one session. */
const RETRY = { baseMs: 200, maxMs: 60_000 };

/**
 * Removes an instance that could not withdraw when it stopped, as soon as its session is connected again, and after
 * growing pauses while attempts fail in that session. As long as the process keeps the session, peers would take the
 * instance for alive and leave it its items. When the session is over, there is nothing left to do.
 * @returns a function that gives it up
 */
export function withdrawWhenPossible(deps: WithdrawalDeps): () => void {
  const { registry, paths, me, session, logger, clock } = deps;
  let isOver = false;
  let isTrying = false;
  let failures = 0;
  let cancelRetry = (): void => undefined;
  const end = (): void => {
    isOver = true;
    cancelRetry();
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
    if (isTrying) return;
    isTrying = true;
    cancelRetry();
    attempt()
      .catch(onFailure)
      .finally(() => (isTrying = false));
  };
  const onFailure = (error: unknown): void => {
    if (isOver) return;
    failures++;
    const cause = describeCause(error);
    if (failures === 1) logger.warn(`the stopped instance ${me} could not withdraw yet, and tries again: ${cause}`);
    else logger.debug(`the stopped instance ${me} still cannot withdraw: ${cause}`);
    cancelRetry = clock.after(backoffMs(failures, RETRY), () => onState(registry.session.state));
  };
  const unsubscribe = registry.session.onChange(onState);
  onState(registry.session.state);
  return end;
}

/**
 * Writes down that an instance stops, so that peers do not take it for crashed. Does nothing without the node. The
 * version protects a note that a peer writes at the same moment; each repetition means that another peer has written
 * its note.
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
