import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A request that a robot has received. */
export interface RobotRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server on loopback that takes messages as the robots of chat groups do. */
export class RobotServer implements AsyncDisposable {
  readonly requests: RobotRequest[] = [];
  readonly #server: Server;
  /** Answers a request. Default: that all is well. */
  answer: (response: ServerResponse, request: RobotRequest) => void = (response) =>
    void response.end(JSON.stringify({ errcode: 0, errmsg: 'ok' }));

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        const { method = '', url = '', headers } = request;
        const body = Buffer.concat(chunks).toString('utf8');
        const received = { method, target: new URL(url, this.origin), headers, body };
        this.requests.push(received);
        this.answer(response, received);
      });
    });
  }

  static async start(): Promise<RobotServer> {
    const robot = new RobotServer();
    await new Promise<void>((resolve) => robot.#server.listen(0, '127.0.0.1', resolve));
    return robot;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The texts that were posted. */
  get texts(): readonly string[] {
    return this.requests.map(({ body }) => (JSON.parse(body) as { text: { content: string } }).text.content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
