import { until } from '../../../support/until.js';
import { type PlannedFault } from '../fault-plan.js';
import { monotonicMs, pause } from '../monotonic.js';
import { type ServerFault } from './registry-under-faults.js';

/** A server of several that elect a leader. */
export interface Member {
  readonly isRunning: boolean;
  kill(): Promise<void>;
  relaunch(): Promise<void>;
  pause(): void;
  resume(): void;
}

/** Servers that elect a leader, and how to ask them. */
export interface Quorum<M extends Member> {
  readonly members: readonly M[];
  /** The present leader; waits for one. */
  leader(): Promise<M>;
  /** One of the present followers; waits for one. */
  follower(): Promise<M>;
  /** The role of a member; `undefined` if it does not serve. */
  roleOf(member: M): Promise<'leader' | 'follower' | undefined>;
}

/** How long an election may take, and a server until it serves again. */
const LIMIT_MS = 30_000;

/** Kills or freezes a member, lets the others elect a leader if that was theirs, and brings the member back. */
export async function hurtMember<M extends Member>(
  quorum: Quorum<M>,
  { kind, durationMs }: Pick<PlannedFault, 'kind' | 'durationMs'>,
): Promise<ServerFault> {
  const isLeader = kind !== 'kill a follower';
  const isFreeze = kind === 'freeze the leader';
  const member = isLeader ? await quorum.leader() : await quorum.follower();
  const target = `server ${quorum.members.indexOf(member) + 1}`;
  const from = monotonicMs();
  if (isFreeze) member.pause();
  else await member.kill();
  let isBack = false;
  // A failure must not end this process while the member is still away.
  const elected = isLeader ? settled(untilElected(quorum, () => (isBack ? undefined : member))) : undefined;
  await pause(durationMs);
  if (isFreeze) member.resume();
  else await member.relaunch();
  isBack = true;
  const outageTo = await elected?.();
  await until(async () => (await quorum.roleOf(member)) !== undefined, `${target} to serve again`, LIMIT_MS);
  return { target, from, ...(outageTo !== undefined && { outageTo }) };
}

/**
 * Waits until a member says that it leads.
 * @param without the member that does not count: one that is being stopped may still answer
 * @returns when that was
 */
export async function untilElected<M extends Member>(
  { members, roleOf }: Pick<Quorum<M>, 'members' | 'roleOf'>,
  without: () => M | undefined,
): Promise<number> {
  const isLed = async (): Promise<boolean> => {
    const asked = members.filter((member) => member.isRunning && member !== without());
    return (await Promise.all(asked.map((member) => roleOf(member)))).includes('leader');
  };
  await until(isLed, 'a leader to be elected', LIMIT_MS);
  return monotonicMs();
}

/** The result of a promise for later, which rejects no earlier than it is asked for. */
function settled<T>(promise: Promise<T>): () => Promise<T> {
  const outcome = promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  return async () => (await outcome)();
}
