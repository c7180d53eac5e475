import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Direction, Link, reset, type Weather } from './tcp-link.js';
import { EventReader, GreetingReader, type RequestName, RequestReader, type SessionKey } from './zookeeper-frames.js';

export { type Direction };

/**
 * A loopback proxy that misbehaves as networks do. It stands between a client and one server; what it does to a
 * direction holds for present and future connections until `heal()`.
 *
 * ```
 *  client ──── up ───▶ ┌───────┐ ──── up ───▶ server
 *         ◀── down ─── │ proxy │ ◀── down ───
 *                      └───────┘
 * ``` A black hole withholds bytes (and ends of connections) rather than dropping them, as TCP would retransmit them
 * once the network is back; `cut()` drops what is withheld.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #counts = new Map<RequestName, number>();
  readonly #weather: Weather = { blackHole: { up: false, down: false }, delayMs: { up: 0, down: 0 }, chunkBytes: 0 };
  #refusing = false;
  #accepted = 0;
  #events = 0;
  #withheldFrom: RequestName | undefined;
  #session: SessionKey | undefined;
  #target: Target;
  readonly #protocol: Protocol;

  private constructor(server: Server, target: Target, protocol: Protocol) {
    this.#server = server;
    this.#protocol = protocol;
    this.#target = target;
    server.on('connection', (client) => this.#accept(client));
  }

  /**
   * Starts a proxy on a free loopback port in front of `host:port`, or of a port of 127.0.0.1. It counts requests and
   * events of ZooKeeper's protocol alone.
   */
  static async start(target: string | number, protocol: Protocol = 'zookeeper'): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(server, parseTarget(target), protocol);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `127.0.0.1:port`, to be given to clients. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Watch events that the server has sent since the start or the last `resetRequests()`. */
  get events(): number {
    return this.#events;
  }

  /** Open connections. */
  get connections(): number {
    return this.#links.size;
  }

  /** Connections accepted so far, refused ones not counted. */
  get accepted(): number {
    return this.#accepted;
  }

  /** The session that a server has granted last; there must have been one. */
  get session(): SessionKey {
    if (!this.#session) throw new Error('No server has granted a session yet');
    return this.#session;
  }

  /** Requests seen since the start or the last `resetRequests()`, by name; names that were not seen are missing. */
  get requests(): Readonly<Partial<Record<RequestName, number>>> {
    return Object.fromEntries(this.#counts);
  }

  /**
   * How many requests of these names (of any but pings, if none is named) were seen since the last `resetRequests()`.
   */
  count(...names: readonly RequestName[]): number {
    let sum = 0;
    for (const [name, count] of this.#counts) {
      if (names.length === 0 ? name !== 'ping' : names.includes(name)) sum += count;
    }
    return sum;
  }

  resetRequests(): void {
    this.#counts.clear();
    this.#events = 0;
  }

  /** Breaks all connections at once (both sides are reset). New ones are still accepted. */
  cut(): void {
    for (const link of this.#links) link.destroy();
  }

  /** Lets new connections die at once until `heal()`. Present ones stay. */
  refuse(): void {
    this.#refusing = true;
  }

  /** Withholds everything in these directions until `heal()`. */
  blackHole(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#weather.blackHole[direction] = true;
  }

  /** Withholds the next request of this name, and all that follows on its connection, until `heal()`. */
  withholdFrom(name: RequestName): void {
    this.#withheldFrom = name;
  }

  /**
   * Breaks the clients' ends of all connections, and leaves those to the server open, with what is withheld on them.
   */
  cutClients(): void {
    for (const link of this.#links) link.cutClient();
  }

  /** Delivers everything in this direction `ms` later than it came. */
  delay(direction: Direction, ms: number): void {
    this.#weather.delayMs[direction] = ms;
  }

  /** Delivers in pieces of at most `bytes` bytes, each in a turn of its own. */
  chunk(bytes: number): void {
    this.#weather.chunkBytes = bytes;
  }

  /**
   * Bytes that a black hole or a delay holds back now. With `down`, more than 0 proves that the server has answered.
   */
  heldBytes(direction: Direction): number {
    return [...this.#links].reduce((sum, link) => sum + link.pipes[direction].heldBytes, 0);
  }

  /** Sends new connections to another server. */
  retarget(target: string | number): void {
    this.#target = parseTarget(target);
  }

  /** Ends all disturbances and delivers what was withheld. */
  heal(): void {
    this.#refusing = false;
    this.#withheldFrom = undefined;
    this.#weather.blackHole = { up: false, down: false };
    this.#weather.delayMs = { up: 0, down: 0 };
    this.#weather.chunkBytes = 0;
    for (const { pipes } of this.#links) {
      pipes.up.deliverAll();
      pipes.down.deliverAll();
    }
  }

  async close(): Promise<void> {
    this.#refusing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cut();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      client.on('error', () => undefined);
      reset(client);
      return;
    }
    this.#accepted++;
    const upstream = connect({ ...this.#target, allowHalfOpen: true, noDelay: true });
    client.setNoDelay(true);
    const reader = new RequestReader((name) => this.#onRequest(name, link));
    const greeting = new GreetingReader((session) => (this.#session = session));
    const events = new EventReader(() => this.#events++);
    const reads = this.#protocol === 'zookeeper';
    const link: Link = new Link(client, upstream, this.#weather, {
      up: (data) => reads && reader.push(data),
      down: (data) => {
        if (!reads) return;
        greeting.push(data);
        events.push(data);
      },
    });
    this.#links.add(link);
    link.onEnd = () => this.#links.delete(link);
  }

  #onRequest(name: RequestName, link: Link): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (name !== this.#withheldFrom) return;
    this.#withheldFrom = undefined;
    link.pipes.up.withhold();
  }
}

/** Whether the proxy understands what passes. */
type Protocol = 'zookeeper' | 'other';

interface Target {
  readonly host: string;
  readonly port: number;
}

function parseTarget(target: string | number): Target {
  if (typeof target === 'number') return { host: '127.0.0.1', port: target };
  const colon = target.lastIndexOf(':');
  return { host: target.slice(0, colon), port: Number(target.slice(colon + 1)) };
}
