import { reactive, readonly } from 'vue';
import { type LiveEvent } from '../../contract/live.js';
import { LiveStream } from './live-stream.js';

/**
 * What the page hears as it happens. A browser keeps one stream for all tabs that watch the same thing: the tab that
 * holds the lock reads it, and tells the others through a channel. Hidden tabs let go. Without a stream, pages are
 * asked to read again each ten seconds; while it is paused, nothing is asked.
 */

export type LivePhase = 'connecting' | 'live' | 'polling' | 'paused';
type Listener = (event: LiveEvent) => void;

const POLL_MS = 10_000;

const state = reactive<{ phase: LivePhase; since: number }>({ phase: 'connecting', since: Date.now() });
const listeners = new Set<Listener>();
const wanted: { registry?: string; job?: string } = {};
const running: { stream?: LiveStream; poll?: ReturnType<typeof setInterval> } = {};

function tell(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}

function enter(phase: LivePhase): void {
  if (state.phase === phase) return;
  state.phase = phase;
  state.since = Date.now();
  clearInterval(running.poll);
  if (phase === 'polling') running.poll = setInterval(() => tell({ type: 'resync' }), POLL_MS);
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
    { onEvent: tell, onOpen: () => enter('live'), onLost: () => enter('polling') },
  );
}

document.addEventListener('visibilitychange', () => {
  if (state.phase === 'paused') return;
  if (document.hidden) return stop();
  start();
  tell({ type: 'resync' });
});

export const live = {
  state: readonly(state),

  /** Hears of a registry centre, and of the items of one job. Nothing named: nothing is heard. */
  watch(registry: string | undefined, job?: string): void {
    if (wanted.registry === registry && wanted.job === job && running.stream !== undefined) return;
    wanted.registry = registry;
    wanted.job = job;
    start();
  },

  /** @returns what ends it */
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
    tell({ type: 'resync' });
  },

  /** Whoever logs in anew starts anew. */
  reset(): void {
    stop();
    delete wanted.registry;
    delete wanted.job;
  },
};
