import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Calls `task` at once, but outside any caller's `AsyncLocalStorage`: in the async context in which this library was
 * loaded. Timers, sockets, and turns of promises keep the context of the code that makes them, and pass it on to
 * everything that they set off. Otherwise one request would lend its tenant, transaction or span to later runs, of
 * other jobs too, and none of them would ever be freed.
 *
 * So all work that is not the caller's own begins through this function: `Clock.after`, the turns of the event loop,
 * `Mailbox.post`, connections. A promise that the caller awaits goes on in the caller's context all the same.
 */
export const detached: <T>(task: () => T) => T = AsyncLocalStorage.snapshot();
