import { type Socket } from 'node:net';

/** `up`: from the client to the server. `down`: from the server to the client. */
export type Direction = 'up' | 'down';

/** The present treatment of each direction by the proxy. */
export interface Weather {
  blackHole: Record<Direction, boolean>;
  delayMs: Record<Direction, number>;
  chunkBytes: number;
}

/** One client connection and its counterpart. */
export class Link {
  readonly pipes: Readonly<Record<Direction, Pipe>>;
  onEnd: () => void = () => undefined;

  constructor(
    private readonly client: Socket,
    private readonly upstream: Socket,
    weather: Weather,
    onBytes: Readonly<Record<Direction, (data: Buffer) => void>>,
  ) {
    this.pipes = {
      up: new Pipe(client, upstream, 'up', weather, onBytes.up),
      down: new Pipe(upstream, client, 'down', weather, onBytes.down),
    };
    client.on('close', () => this.#closed());
    upstream.on('close', () => this.#closed());
  }

  destroy(): void {
    for (const pipe of Object.values(this.pipes)) pipe.drop();
    reset(this.client);
    reset(this.upstream);
  }

  /** Breaks the client's end alone; what is withheld can still be delivered to the server. */
  cutClient(): void {
    this.pipes.down.drop();
    this.pipes.up.endInput();
    reset(this.client);
  }

  #closed(): void {
    if (this.client.destroyed && this.upstream.destroyed) this.onEnd();
  }
}

type Item = { readonly dueAt: number } & ({ readonly data: Buffer } | { readonly end: 'fin' | 'reset' });

/** One direction of a link: a queue of bytes and the end of the stream, delivered in order as the weather allows. */
class Pipe {
  readonly #queue: Item[] = [];
  #cancelPump: (() => void) | undefined;
  #dropped = false;
  #isInputOver = false;
  #isWithheld = false;

  constructor(
    from: Socket,
    private readonly to: Socket,
    private readonly direction: Direction,
    private readonly weather: Weather,
    onData: (data: Buffer) => void,
  ) {
    from.on('data', (data: Buffer) => {
      onData(data);
      for (const part of inChunks(data, weather.chunkBytes)) this.#enter({ data: part });
    });
    from.on('end', () => this.#enter({ end: 'fin' }));
    from.on('error', () => this.#enter({ end: 'reset' }));
    from.on('close', () => this.#enter({ end: 'fin' }));
  }

  get heldBytes(): number {
    return this.#queue.reduce((sum, item) => sum + ('data' in item ? item.data.length : 0), 0);
  }

  drop(): void {
    this.#dropped = true;
    this.#queue.length = 0;
    this.#cancelPump?.();
  }

  /** Delivers nothing more until `deliverAll()`. */
  withhold(): void {
    this.#isWithheld = true;
  }

  /** Ends `withhold`, and delivers what the weather allows. */
  deliverAll(): void {
    this.#isWithheld = false;
    this.pump();
  }

  /** Takes nothing more, not even the end of the connection that it is read from. */
  endInput(): void {
    this.#isInputOver = true;
  }

  pump(): void {
    this.#cancelPump?.();
    this.#cancelPump = undefined;
    for (let item = this.#queue[0]; item !== undefined; item = this.#queue[0]) {
      if (this.#isWithheld || this.weather.blackHole[this.direction]) return;
      const waitMs = this.weather.delayMs[this.direction] > 0 ? item.dueAt - performance.now() : 0;
      if (waitMs > 0) {
        return this.#pumpLater(waitMs);
      }
      this.#queue.shift();
      this.#deliver(item);
      if (this.weather.chunkBytes > 0) return this.#pumpLater(0);
    }
  }

  #pumpLater(waitMs: number): void {
    if (waitMs > 0) {
      const timer = setTimeout(() => this.pump(), Math.ceil(waitMs));
      this.#cancelPump = () => clearTimeout(timer);
    } else {
      const turn = setImmediate(() => this.pump());
      this.#cancelPump = () => clearImmediate(turn);
    }
  }

  #enter(item: { readonly data: Buffer } | { readonly end: 'fin' | 'reset' }): void {
    if (this.#dropped || this.#isInputOver) return;
    this.#queue.push({ ...item, dueAt: performance.now() + this.weather.delayMs[this.direction] });
    if (this.#cancelPump === undefined) this.pump();
  }

  #deliver(item: Item): void {
    if (this.to.destroyed) return;
    if ('data' in item) this.to.write(item.data);
    else if (item.end === 'fin') this.to.end();
    else reset(this.to);
  }
}

function* inChunks(data: Buffer, bytes: number): Generator<Buffer> {
  if (bytes <= 0) yield data;
  else for (let at = 0; at < data.length; at += bytes) yield data.subarray(at, at + bytes);
}

/** Breaks a connection so that the other side sees a reset. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return;
  // A reset after an end fails and leaves the handle open, on which the process spins when it is to exit.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
