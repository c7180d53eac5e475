import { computed, shallowRef } from 'vue';
import { type Permission } from '../../contract/common.js';
import { type ConsoleMeta, type SessionInfo } from '../../contract/session.js';
import { ApiProblem, get, send } from '../api/client.js';
import { live } from '../live/live.js';

/** Who is logged in; `undefined` if nobody is, or it is not known yet. */
export const session = shallowRef<SessionInfo>();
export const meta = shallowRef<ConsoleMeta>();
const isKnown = shallowRef(false);

/** Whether the user may do what asks for `permission`. What a user may not do is not offered. */
export const can = (permission: Permission): boolean => session.value?.permissions.includes(permission) ?? false;
export const isReadOnly = computed(() => session.value !== undefined && !can('operate'));

/** Asks the server who is logged in, once; again after `forget`. */
export async function knowSession(): Promise<SessionInfo | undefined> {
  if (isKnown.value) return session.value;
  try {
    session.value = await get<SessionInfo>('auth/session');
  } catch (error) {
    // While there is no administrator, nobody can be logged in: the login page leads to the set-up.
    const isNobody =
      error instanceof ApiProblem && (error.problem.status === 401 || error.problem.code === 'setup-needed');
    if (!isNobody) throw error;
    session.value = undefined;
  }
  isKnown.value = true;
  if (session.value !== undefined && meta.value === undefined) meta.value = await get<ConsoleMeta>('meta');
  return session.value;
}

/** Shorter than the shortest time without a request after which a session can end. */
const WATCHED_EVERY_MS = 30_000;

/**
 * Keeps the session of a page that somebody watches: one that is visible and hears of changes counts as used, without a
 * click. The session ends all the same when its hours are over.
 * @returns what ends it
 */
export function keepWhileWatched(): () => void {
  const timer = setInterval(() => {
    if (document.hidden || live.state.phase !== 'live') return;
    // If there is no session any more, the stream has said so.
    void get<SessionInfo>('auth/session').catch(() => undefined);
  }, WATCHED_EVERY_MS);
  return () => clearInterval(timer);
}

export function forgetSession(): void {
  isKnown.value = false;
  session.value = undefined;
  live.reset();
}

export async function logOut(): Promise<void> {
  await send('POST', 'auth/logout');
  forgetSession();
}
