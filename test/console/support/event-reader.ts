import { request } from 'node:http';
import { until } from '../../support/until.js';
import { type Browser } from './browser.js';
import { type ConsoleApp } from './console-app.js';

/** One server-sent event. */
export interface ReadEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads a stream of events as a browser does. */
export class EventReader implements Disposable {
  readonly events: ReadEvent[] = [];
  status = 0;
  headers: NodeJS.Dict<string | string[]> = {};
  text = '';
  isEnded = false;
  readonly #close: () => void;

  constructor(app: Pick<ConsoleApp, 'origin'>, browser: Browser, path: string, lastEventId?: string) {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    const asked = request(`${app.origin}/elasticjob${path}`, { headers }, (response) => {
      this.status = response.statusCode ?? 0;
      this.headers = response.headers;
      response.setEncoding('utf8');
      let rest = '';
      response.on('data', (chunk: string) => {
        this.text += chunk;
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      });
      response.on('close', () => (this.isEnded = true));
      response.on('error', () => undefined);
    });
    asked.on('error', () => (this.isEnded = true));
    asked.end();
    this.#close = () => asked.destroy();
  }

  /** Resolves with the first event of that type for which `isMeant` holds. */
  async next(type: string, isMeant: (data: ReadEvent['data']) => boolean = () => true): Promise<ReadEvent> {
    const find = (): ReadEvent | undefined => this.events.find((event) => event.type === type && isMeant(event.data));
    await until(
      () => find() !== undefined,
      `an event '${type}'; there were ${JSON.stringify(this.events)}, and the answer was ${this.status}: ${this.text}`,
    );
    return find()!;
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const [type, data] = [fields.get('event'), fields.get('data')];
    if (type === undefined || data === undefined) return;
    this.events.push({ id: fields.get('id'), type, data: JSON.parse(data) as ReadEvent['data'] });
  }
}
