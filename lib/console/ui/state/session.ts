import { computed, shallowRef } from 'vue';
import { type Permission } from '../../contract/common.js';
import { type ConsoleMeta, type SessionInfo } from '../../contract/session.js';
import { ApiProblem, get, send } from '../api/client.js';
import { live } from '../live/live.js';

/** The session of the user; `undefined` without a login, or if it is not known yet. */
export const session = shallowRef<SessionInfo>();
export const meta = shallowRef<ConsoleMeta>();
const isKnown = shallowRef(false);

/** True if the user has the permission. The page does not offer actions that the user may not do. */
export const can = (permission: Permission): boolean => session.value?.permissions.includes(permission) ?? false;
export const isReadOnly = computed(() => session.value !== undefined && !can('operate'));

/** Asks the server for the session, once; again after `forget`. */
export async function knowSession(): Promise<SessionInfo | undefined> {
  if (isKnown.value) return session.value;
  try {
    session.value = await get<SessionInfo>('auth/session');
  } catch (error) {
    // Without an administrator, no user can be logged in, and the login page leads to the set-up.
    const isNobody =
      error instanceof ApiProblem && (error.problem.status === 401 || error.problem.code === 'setup-needed');
    if (!isNobody) throw error;
    session.value = undefined;
  }
  isKnown.value = true;
  if (session.value !== undefined && meta.value === undefined) meta.value = await get<ConsoleMeta>('meta');
  return session.value;
}

/** Shorter than the shortest idle time after which a session can end. */
const WATCHED_EVERY_MS = 30_000;

/**
 * Keeps the session of a page that is watched: a visible page that receives changes counts as used, even without a
 * click. The session still ends when its hours are over.
 * @returns a function that ends this
 */
export function keepWhileWatched(): () => void {
  const timer = setInterval(() => {
    if (document.hidden || live.state.phase !== 'live') return;
    // The stream has reported it if the session has ended.
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
