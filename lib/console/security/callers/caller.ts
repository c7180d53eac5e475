import { type Permission, type Role } from '../../contract/common.js';
import { type Account } from './account.js';
import { type RequestOrigin } from './request-origin.js';

/** The caller of a request, which the console's guard sets after it has checked the credentials. */
export interface Caller extends Account {
  readonly role: Role;
  readonly permissions: readonly Permission[];
  /** The address of the client, even behind trusted proxies. */
  readonly ip: string;
  readonly requestId: string;
  /** The session of the browser; absent for scripts that use a token. */
  readonly sessionId?: string;
  /** The end of the session or token if no request comes until then, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Aborts as soon as the session or the token ends, so that open streams end with it. */
  readonly ended: AbortSignal;
}

/** A request of the console, of Express or Fastify, with the parts that the console uses. */
export interface ConsoleRequest {
  readonly method: string;
  /** The path with the query; in Express, below the mount point. */
  readonly url: string;
  /** Express and Fastify: the requested path with the query. */
  readonly originalUrl?: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string; readonly localAddress?: string; readonly encrypted?: boolean };
  readonly body?: unknown;
  /** Set by the guard; absent on public routes without a login. */
  elasticJobCaller?: Caller;
  /** Set by the guard. */
  elasticJobRequestId?: string;
  /** Set by the guard. */
  elasticJobOrigin?: RequestOrigin;
}
