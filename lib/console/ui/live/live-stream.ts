import { apiUrl, segment } from '../api/client.js';
import { type LiveEvent } from '../../contract/live.js';

const TYPES: readonly LiveEvent['type'][] = [
  'job',
  'job-removed',
  'shards',
  'instances',
  'config',
  'graph',
  'servers',
  'registry',
  'resync',
  'bye',
];
const RETRY_MS = 3_000;

interface Handlers {
  readonly onEvent: (event: LiveEvent) => void;
  readonly onOpen: () => void;
  readonly onLost: () => void;
}

type Message = { readonly kind: 'event'; readonly event: LiveEvent } | { readonly kind: 'open' | 'lost' | 'hello' };

/** The stream of one registry centre (and the items of one job), read by one tab for all. */
export class LiveStream {
  readonly #url: string;
  readonly #handlers: Handlers;
  readonly #channel: BroadcastChannel;
  readonly #ended = new AbortController();
  #source: EventSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor({ registry, job }: { readonly registry: string; readonly job?: string }, handlers: Handlers) {
    this.#url = apiUrl(`registries/${segment(registry)}/events`, { job });
    this.#handlers = handlers;
    this.#channel = new BroadcastChannel(`elasticjob ${this.#url}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
    this.#channel.postMessage({ kind: 'hello' } satisfies Message);
    this.#lead();
  }

  close(): void {
    this.#ended.abort();
    this.#source?.close();
    clearTimeout(this.#retry);
    this.#channel.close();
  }

  #lead(): void {
    // Locks exist on https and localhost only; otherwise each tab opens its own stream.
    if (!('locks' in navigator)) return this.#connect();
    const until = new Promise<void>((resolve) =>
      this.#ended.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    navigator.locks
      .request(`elasticjob ${this.#url}`, { signal: this.#ended.signal }, () => {
        this.#connect();
        return until;
      })
      .catch((error: unknown) => {
        if (!this.#ended.signal.aborted) throw error;
      });
  }

  #connect(): void {
    if (this.#ended.signal.aborted) return;
    const source = new EventSource(this.#url, { withCredentials: true });
    this.#source = source;
    source.onopen = () => this.#say({ kind: 'open' });
    source.onerror = () => {
      this.#say({ kind: 'lost' });
      // The browser does not reconnect after an answer that is not a stream, so the page does.
      if (source.readyState === EventSource.CLOSED) this.#again();
    };
    for (const type of TYPES)
      source.addEventListener(type, ({ data }: MessageEvent<string>) => this.#read(type, data, source));
  }

  #read(type: LiveEvent['type'], data: string, source: EventSource): void {
    const event = { ...(data === '' ? {} : (JSON.parse(data) as object)), type } as LiveEvent;
    this.#say({ kind: 'event', event });
    if (event.type !== 'bye') return;
    source.close();
    this.#say({ kind: 'lost' });
    if (event.reason === 'stopping' && !this.#ended.signal.aborted) this.#again();
  }

  #again(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#connect(), RETRY_MS);
  }

  #say(message: Message): void {
    // A listener may have closed the stream, as it does when the session has ended.
    if (this.#ended.signal.aborted) return;
    this.#channel.postMessage(message);
    this.#hear(message);
  }

  #hear(message: Message): void {
    if (message.kind === 'event') this.#handlers.onEvent(message.event);
    if (message.kind === 'open') this.#handlers.onOpen();
    if (message.kind === 'lost') this.#handlers.onLost();
    // The reading tab sends its state to a tab that is opened later.
    if (message.kind === 'hello' && this.#source?.readyState === EventSource.OPEN)
      this.#channel.postMessage({ kind: 'open' } satisfies Message);
  }
}
