/**
 * A client of one etcd member: calls with one answer, and streams.
 *
 * It knows one connection to one endpoint, and neither retries nor another endpoint: what follows a failure depends on
 * what was asked, so that the session decides it. A call ends with its answer, with an `EtcdError`, or when its time is
 * up. The connection is made by the first call.
 *
 * The library is `@grpc/grpc-js`, which Google keeps. The clients of etcd on npm either are no longer kept or cannot
 * compare ranges and leases in a transaction, which `remove` and holds need.
 */
import type * as Grpc from '@grpc/grpc-js';
import { type Clock } from '../../../time/clock.js';
import { detached } from '../../../time/detached.js';
import { channelCredentials, type EtcdTls } from './channel-credentials.js';
import { type Endpoint } from './endpoints.js';
import { EtcdError, Status } from './etcd-error.js';
import { type GrpcPackages } from './grpc.js';
import { type ResponseHeader, type StreamCalls, type UnaryCalls } from './messages.js';
import { UnansweredCalls } from './unanswered-calls.js';

/** Options of the connection to an endpoint. */
export interface EtcdClientOptions {
  readonly clock: Clock;
  /** The longest that a call may take, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** User and password; `undefined`: the server does not ask for them. */
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  /** For endpoints with `https`. */
  readonly tls: EtcdTls | undefined;
}

/** The functions that a stream calls with its answers, and when it ends. */
export interface StreamListener<Answer> {
  readonly onMessage: (answer: Answer) => void;
  /** Called once, unless `close` was called before. */
  readonly onEnd: (error: EtcdError) => void;
}

/** A stream in both directions. */
export interface EtcdStream<Request> {
  send(request: Request): void;
  /** Ends it; its listener is not called any more. */
  close(): void;
}

/** See the top of the file. */
export class EtcdClient {
  readonly #packages: GrpcPackages;
  readonly #options: EtcdClientOptions;
  readonly #client: Grpc.Client;
  readonly #unanswered: UnansweredCalls;
  /** Cancels each open stream: one that is left open keeps the connection, and the process. */
  readonly #streams = new Set<() => void>();
  #token: string | undefined;
  #authentication: Promise<void> | undefined;
  #isClosed = false;

  constructor(packages: GrpcPackages, endpoint: Endpoint, options: EtcdClientOptions) {
    this.#packages = packages;
    this.#options = options;
    this.#unanswered = new UnansweredCalls(options.clock);
    const { grpc } = packages;
    // Its sockets must not keep the caller's async context.
    this.#client = detached(
      () =>
        new grpc.Client(targetOf(endpoint), channelCredentials(grpc, endpoint, options.tls), channelOptions(options)),
    );
  }

  /**
   * Asks for a token, with which all later calls and streams are made; does nothing without user and password.
   * @throws EtcdError if there is no answer, or the server refuses (`isAboutCredentials`)
   */
  async authenticate(): Promise<void> {
    const { credentials } = this.#options;
    if (credentials === undefined) return;
    const { username: name, password } = credentials;
    this.#token = undefined;
    try {
      const { token } = await this.#callOnce('authenticate', { name, password });
      this.#token = token;
    } catch (error) {
      // As etcd's own client: users and passwords are there, and not asked for.
      if (!(error instanceof EtcdError && error.status === Status.failedPrecondition)) throw error;
    }
  }

  /** True if the server has given a token: it asks for users. */
  get isAuthenticated(): boolean {
    return this.#token !== undefined;
  }

  /**
   * Makes a call. If the token has expired, asks for another one and makes the call again.
   * @throws EtcdError if there is no answer in time, or the server refuses
   */
  async call<Name extends keyof UnaryCalls>(name: Name, request: UnaryCalls[Name][0]): Promise<UnaryCalls[Name][1]> {
    try {
      return await this.#callOnce(name, request);
    } catch (error) {
      const isStale = error instanceof EtcdError && error.isTokenStale && this.#options.credentials !== undefined;
      if (!isStale) throw error;
      this.#authentication ??= this.authenticate().finally(() => (this.#authentication = undefined));
      await this.#authentication;
      return this.#callOnce(name, request);
    }
  }

  /** Opens a stream, which ends if the member has no leader for a while: it could not tell what happens. */
  open<Name extends keyof StreamCalls>(
    name: Name,
    { onMessage, onEnd }: StreamListener<StreamCalls[Name][1]>,
  ): EtcdStream<StreamCalls[Name][0]> {
    type Request = StreamCalls[Name][0];
    const { path, encode, decode } = this.#packages.methods[name];
    const metadata = this.#metadata();
    metadata.set('hasleader', 'true');
    const stream = detached(() =>
      this.#client.makeBidiStreamRequest<Request, StreamCalls[Name][1]>(
        path,
        encode as (request: Request) => Buffer,
        decode,
        metadata,
      ),
    );
    let isOpen = true;
    const cancel = (): void => {
      isOpen = false;
      this.#streams.delete(cancel);
      stream.cancel();
    };
    this.#streams.add(cancel);
    const end = (error: EtcdError): void => {
      if (!isOpen) return;
      cancel();
      onEnd(error);
    };
    stream.on('data', (answer: StreamCalls[Name][1]) => {
      if (!isOpen) return;
      this.#heard(answer);
      onMessage(answer);
    });
    stream.on('error', (error: unknown) => end(errorOf(error)));
    stream.on('end', () => end(new EtcdError(Status.unavailable, 'the server has ended the stream')));
    return {
      send: (request) => {
        if (isOpen) stream.write(request);
      },
      close: cancel,
    };
  }

  /** Closes the connection: streams end without a word, and what is unanswered fails at once. */
  close(reason = 'the connection was closed'): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const cancel of [...this.#streams]) cancel();
    this.#client.close();
    this.#unanswered.close(reason);
  }

  #callOnce<Name extends keyof UnaryCalls>(name: Name, request: UnaryCalls[Name][0]): Promise<UnaryCalls[Name][1]> {
    type Request = UnaryCalls[Name][0];
    type Answer = UnaryCalls[Name][1];
    const { clock, requestTimeoutMs } = this.#options;
    const { path, encode, decode } = this.#packages.methods[name];
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new EtcdError(Status.unavailable, 'the connection was closed'));
      const call = detached(() =>
        this.#client.makeUnaryRequest<Request, Answer>(
          path,
          encode as (request: Request) => Buffer,
          decode,
          request,
          this.#metadata(),
          (error, answer) => {
            done();
            if (error) return reject(errorOf(error));
            this.#heard(answer as Answer);
            resolve(answer as Answer);
          },
        ),
      );
      const fail = (error: EtcdError): void => {
        done();
        call.cancel();
        reject(error);
      };
      // A clock of ours and not gRPC's deadline, which is a time of day.
      const cancel = clock.after(requestTimeoutMs, () =>
        fail(new EtcdError(Status.deadlineExceeded, `no answer within ${requestTimeoutMs} ms`)),
      );
      const done = (): void => {
        cancel();
        isAnswered();
      };
      const isAnswered = this.#unanswered.add(fail);
    });
  }

  /** `null`: a proxy of etcd may leave the head out. */
  #heard({ header }: { readonly header: ResponseHeader | null }): void {
    if (header !== null) this.#unanswered.heardTerm(Number(header.raftTerm));
  }

  #metadata(): Grpc.Metadata {
    const metadata = new this.#packages.grpc.Metadata();
    if (this.#token !== undefined) metadata.set('token', this.#token);
    return metadata;
  }
}

function errorOf(error: unknown): EtcdError {
  const { code, details } = error as Partial<Grpc.ServiceError>;
  const text = details ?? (error instanceof Error ? error.message : String(error));
  return new EtcdError(code ?? Status.unknown, text, { cause: error });
}

function targetOf({ host, port }: Endpoint): string {
  return host.includes(':') ? `ipv6:[${host}]:${port}` : `dns:${host}:${port}`;
}

function channelOptions({ tls }: EtcdClientOptions): Grpc.ClientOptions {
  return {
    // A connection of its own: gRPC would otherwise wait before it tries an endpoint again that has just failed.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_retries': 0,
    // A subtree is read by one answer, however large.
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    ...(tls?.servername !== undefined && { 'grpc.ssl_target_name_override': tls.servername }),
  };
}
