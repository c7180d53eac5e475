import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  bool,
  bytes,
  int,
  JuteReader,
  JuteWriter,
  long,
  record,
} from '../../../lib/registry/zookeeper/client/wire/jute.js';
import { replyHeader, requestHeader } from '../../../lib/registry/zookeeper/client/wire/messages.js';

/** One connection of a client to the fake server. */
export interface FakeConnection {
  readonly socket: Socket;
  /** Sends an answer, whatever follows its header. */
  readonly reply: (xid: number, error: number, body?: Buffer, zxid?: bigint) => void;
}

/** The behaviour of the fake server for a request of `bytes` bytes. */
export type Behaviour = (
  request: { readonly xid: number; readonly opcode: number; readonly bytes: number },
  connection: FakeConnection,
) => void;

/** How the fake server greets. Default: grants a session of 3 s. */
export interface FakeServerOptions {
  readonly readOnly?: boolean;
  readonly timeoutMs?: number;
  /** Sent instead of an answer to the first message. */
  readonly greeting?: Buffer;
}

const connectAnswer = record({
  protocolVersion: int,
  timeoutMs: int,
  sessionId: long,
  password: bytes,
  readOnly: bool,
});

/** A server that greets as ZooKeeper does, and then behaves as the test says: in ways that no real server shows. */
export class FakeServer {
  readonly connections: FakeConnection[] = [];
  /** Number of requests so far, greetings not counted. */
  requests = 0;

  private constructor(
    private readonly server: Server,
    private readonly behaviour: Behaviour,
    private readonly options: FakeServerOptions,
  ) {
    server.on('connection', (socket) => this.#accept(socket));
  }

  static async start(behaviour: Behaviour, options: FakeServerOptions = {}): Promise<FakeServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeServer(server, behaviour, options);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const { socket } of this.connections) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const connection: FakeConnection = {
      socket,
      reply(xid, error, body = Buffer.alloc(0), zxid = 0n) {
        const header = JuteWriter.frame(replyHeader, { xid, zxid, error });
        header.writeInt32BE(header.length - 4 + body.length, 0);
        socket.write(Buffer.concat([header, body]));
      },
    };
    this.connections.push(connection);
    let pending = Buffer.alloc(0);
    let greeted = false;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= 4 + pending.readInt32BE(0)) {
        const message = pending.subarray(4, 4 + pending.readInt32BE(0));
        pending = pending.subarray(4 + message.length);
        if (!greeted) socket.write(this.#greeting());
        else {
          this.requests++;
          this.behaviour({ ...requestHeader.read(new JuteReader(message)), bytes: message.length }, connection);
        }
        greeted = true;
      }
    });
  }

  #greeting(): Buffer {
    const { greeting, readOnly = false, timeoutMs = 3000 } = this.options;
    const answer = { protocolVersion: 0, timeoutMs, sessionId: 0x1234n, password: Buffer.alloc(16), readOnly };
    return greeting ?? JuteWriter.frame(connectAnswer, answer);
  }
}
