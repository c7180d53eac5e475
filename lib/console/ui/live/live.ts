import { reactive, readonly } from 'vue';
import { type LiveEvent } from '../../contract/live.js';
import { LiveStream } from './live-stream.js';

/**
 * The live events of the page. A browser keeps one stream for all tabs that watch the same registry centre and job: the
 * tab that holds the lock reads it, and sends the events to the others through a channel. Hidden tabs give up the lock.
 * Without a stream, pages read their data again each ten seconds; while the page is paused, they read nothing.
 */

export type LivePhase = 'connecting' | 'live' | 'polling' | 'paused';
type Listener = (event: LiveEvent) => void;

const POLL_MS = 10_000;

const state = reactive<{ phase: LivePhase; since: number }>({ phase: 'connecting', since: Date.now() });
const listeners = new Set<Listener>();
const wanted: { registry?: string; job?: string } = {};
const running: { stream?: LiveStream; poll?: ReturnType<typeof setInterval> } = {};

function notify(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}

function enter(phase: LivePhase): void {
  if (state.phase === phase) return;
  state.phase = phase;
  state.since = Date.now();
  clearInterval(running.poll);
  if (phase === 'polling') running.poll = setInterval(() => notify({ type: 'resync' }), POLL_MS);
}

function stop(): void {
  running.stream?.close();
  delete running.stream;
  clearInterval(running.poll);
}

function start(): void {
  stop();
  if (state.phase === 'paused' || wanted.registry === undefined || document.hidden) return;
  running.stream = new LiveStream(
    { registry: wanted.registry, job: wanted.job },
    { onEvent: notify, onOpen: () => enter('live'), onLost: () => enter('polling') },
  );
}

document.addEventListener('visibilitychange', () => {
  if (state.phase === 'paused') return;
  if (document.hidden) return stop();
  start();
  notify({ type: 'resync' });
});

export const live = {
  state: readonly(state),

  /** Receives events of a registry centre, and of the items of one job; without a registry centre, none. */
  watch(registry: string | undefined, job?: string): void {
    if (wanted.registry === registry && wanted.job === job && running.stream !== undefined) return;
    wanted.registry = registry;
    wanted.job = job;
    start();
  },

  /** @returns a function that ends the subscription */
  listen(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  pause(this: void): void {
    stop();
    enter('paused');
  },

  resume(this: void): void {
    enter('connecting');
    start();
    notify({ type: 'resync' });
  },

  /** Forgets everything, for the next login. */
  reset(): void {
    stop();
    delete wanted.registry;
    delete wanted.job;
  },
};
