import { type Permission, type Role } from '../../contract/common.js';
import { type Account } from './account.js';
import { type RequestOrigin } from './request-origin.js';

/** Who a request comes from. The console's guard puts it on the request once the credentials are checked. */
export interface Caller extends Account {
  readonly role: Role;
  readonly permissions: readonly Permission[];
  /** The address of the client, behind trusted proxies that of who asked them. */
  readonly ip: string;
  readonly requestId: string;
  /** The session of the browser; absent for scripts that use a token. */
  readonly sessionId?: string;
  /** When the session or the token ends if nothing is done until then, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Aborts as soon as the session or the token ends, so that open streams end with it. */
  readonly ended: AbortSignal;
}

/** A request of the console, of Express or Fastify, as far as the console has to do with it. */
export interface ConsoleRequest {
  readonly method: string;
  /** With the query. Express: the path below where it is mounted. */
  readonly url: string;
  /** Express and Fastify: with the query, as it was asked for. */
  readonly originalUrl?: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string; readonly localAddress?: string; readonly encrypted?: boolean };
  readonly body?: unknown;
  /** Set by the guard; absent on public routes if nobody is logged in. */
  elasticJobCaller?: Caller;
  /** Set by the guard. */
  elasticJobRequestId?: string;
  /** Set by the guard. */
  elasticJobOrigin?: RequestOrigin;
}
