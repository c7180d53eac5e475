import { expect, rejection } from './expect.js';
import { type DeclareTest } from './runner.js';
import { type ElasticJobErrorCode } from '../../api/errors/errors.js';
import {
  type Mirror,
  type MirroredNode,
  type RegistryCenter,
  type SessionState,
} from '../../registry/registry-center.js';
import { until } from './until.js';

/** A running registry server, and what the contract needs to do to the connections of its centres. */
export interface ContractServer {
  /** A connected centre with a session of its own. All centres of one server see the same tree. */
  open(options?: ContractOpenOptions): Promise<RegistryCenter>;
  /**
   * Ends the centre's session at the server without asking the centre; works while it is connected and while it is not.
   * Resolves once the session's nodes are gone. A connected centre finds out, and opens a new session.
   */
  expire(centre: RegistryCenter): Promise<void>;
  /** Cuts the centre's connection and lets no new one through; the session goes on at the server. */
  disconnect(centre: RegistryCenter): Promise<void>;
  /** Lets connections through again. */
  reconnect(centre: RegistryCenter): Promise<void>;
  /** How many calls of `exclusively` hold the path or wait for it, of all sessions, as this centre sees it. */
  contenders(centre: RegistryCenter, path: string): Promise<number>;
  /** Stops the server, and what `open` left open. */
  close(): Promise<void>;
}

/** How a centre is opened for a test. */
export interface ContractOpenOptions {
  /** Session timeout in milliseconds; 10000 if not given. The contract asks for as little as 1000. */
  readonly sessionTimeoutMilliseconds?: number;
}

/** With what each part of the contract declares its tests. */
export interface Contract {
  readonly test: DeclareTest;
  readonly stage: ContractStage;
}

/** The stage of each test of the contract: centres that are closed afterwards, and a part of the tree of its own. */
export class ContractStage {
  #server: ContractServer | undefined;
  #tests = 0;
  #opened: RegistryCenter[] = [];

  async build(openServer: () => Promise<ContractServer>): Promise<void> {
    this.#server = await openServer();
  }

  async strike(): Promise<void> {
    await this.#server?.close();
  }

  beginTest(): void {
    this.#tests++;
  }

  async endTest(): Promise<void> {
    const opened = this.#opened.splice(0);
    await Promise.all(opened.map((centre) => centre.close()));
  }

  get server(): ContractServer {
    if (!this.#server) throw new Error('The server of the contract has not been opened');
    return this.#server;
  }

  /** A path no other test uses; `at('a', 'b')` is `…/a/b`. It does not exist yet. */
  at(...names: readonly (string | number)[]): string {
    return ['', `contract-${this.#tests}`, ...names].join('/');
  }

  async open(options?: ContractOpenOptions): Promise<RegistryCenter> {
    const centre = await this.server.open(options);
    this.#opened.push(centre);
    return centre;
  }

  /** Cuts the connection, and waits until the centre has noticed. */
  async disconnect(centre: RegistryCenter): Promise<void> {
    await this.server.disconnect(centre);
    await until(() => centre.session.state.phase !== 'connected', 'the centre notices that its connection is cut');
  }

  /** Lets the connection through again, and waits until the centre is connected. */
  async reconnect(centre: RegistryCenter): Promise<void> {
    await this.server.reconnect(centre);
    await untilConnected(centre);
  }

  /** Ends the session, and waits until the centre has a new one. */
  async expire(centre: RegistryCenter): Promise<void> {
    const id = sessionId(centre);
    await this.server.expire(centre);
    await until(() => sessionIdOrNone(centre) !== id, 'the centre notices that its session has ended');
    await untilConnected(centre);
  }
}

/** Id of the session of a connected centre. */
export function sessionId(centre: RegistryCenter): string {
  const id = sessionIdOrNone(centre);
  if (id === undefined) throw new Error(`Not connected: ${JSON.stringify(centre.session.state)}`);
  return id;
}

function sessionIdOrNone({ session: { state } }: RegistryCenter): string | undefined {
  return state.phase === 'connected' ? state.id : undefined;
}

export async function untilConnected(centre: RegistryCenter): Promise<void> {
  await until(() => centre.session.state.phase === 'connected', 'the centre is connected');
}

/**
 * All states after this call, except `connecting`: the contract leaves open whether that is reported between two
 * sessions.
 */
export function record(centre: RegistryCenter): SessionState[] {
  const states: SessionState[] = [];
  centre.session.onChange((state) => {
    if (state.phase !== 'connecting') states.push(state);
  });
  return states;
}

export async function expectRejection(promise: Promise<unknown>, code: ElasticJobErrorCode): Promise<void> {
  expect(await rejection(promise)).toMatchObject({ code });
}

/** The node that a mirror shows at `path`. @throws if it shows none */
export function nodeOf({ nodes }: Pick<Mirror, 'nodes'>, path: string): MirroredNode {
  const node = nodes.get(path);
  if (node === undefined) throw new Error(`The mirror shows no ${path}, but ${[...nodes.keys()].join(', ')}`);
  return node;
}

/** The values a mirror shows, by path below its root; the root itself is `''`. */
export function shown(mirror: Mirror): Record<string, string | undefined> {
  const entries = [...mirror.nodes].map(([path, { value }]) => [path.slice(mirror.path.length), value] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
