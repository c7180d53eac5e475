import { type Permission, type Role } from './common.js';

/** `GET /api/v1/auth/session`: 200 for who is logged in, else 401. */
export interface SessionInfo {
  readonly username: string;
  readonly role: Role;
  readonly permissions: readonly Permission[];
  /** `local`, or the name of the OIDC provider. */
  readonly provider: string;
  /** When the session ends if nothing is done until then. */
  readonly expiresAt: number;
}

/** `POST /api/v1/auth/login`; sets the cookie of the session. */
export interface LoginRequest {
  readonly username: string;
  readonly password: string;
}

/** `POST /api/v1/auth/password`, of oneself. */
export interface PasswordChange {
  readonly old: string;
  readonly new: string;
}

/** `GET /api/v1/auth/providers`, public. */
export interface AuthProviders {
  /** Whether there is no administrator yet: only `POST /api/v1/setup` is served, and the page shows the set-up. */
  readonly isSetupNeeded: boolean;
  /** Whether a name and a password can be used. */
  readonly local: boolean;
  readonly oidc: readonly { readonly name: string; readonly title: string }[];
}

/** `POST /api/v1/setup`: makes the first administrator and logs in. The process has printed the code. */
export interface SetupRequest extends LoginRequest {
  readonly code: string;
}

/** `GET /api/v1/meta`, for whoever is logged in. */
export interface ConsoleMeta {
  readonly version: string;
  /** A word that tells environments apart, such as `production`; shown as a badge. */
  readonly environment?: string;
  readonly nodeVersion: string;
  /** Whether registry centres and data sources can be added in the page. */
  readonly canAddConnections: boolean;
}

/** A token for scripts, without its secret. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** Of its owner: `local`, or the name of the OIDC provider. */
  readonly provider: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt?: number;
}

export interface NewApiToken {
  readonly name: string;
  readonly role: Role;
  /** 1 to 365. */
  readonly days: number;
}

/** Answer of `POST /api/v1/auth/tokens`; the secret is never shown again. */
export interface CreatedApiToken extends ApiToken {
  readonly token: string;
}

export interface ConsoleUser {
  readonly username: string;
  readonly role: Role;
  readonly isEnabled: boolean;
  /** `settings`: stands in the settings file, and cannot be changed here. */
  readonly origin: 'settings' | 'console';
  readonly createdAt?: number;
  readonly lastLoginAt?: number;
}

/** `POST /api/v1/users` (with `username` and `password`), `PUT /api/v1/users/{u}` (whatever is to change). */
export interface UserChange {
  readonly username?: string;
  readonly password?: string;
  readonly role?: Role;
  readonly isEnabled?: boolean;
}

/** A user of an OIDC provider who has logged in. `PUT /api/v1/oidc-users/{id}` takes `isBlocked`. */
export interface OidcAccount {
  /** Made of issuer and `sub`, which identify the account; names there may change. */
  readonly id: string;
  /** As of the last login, like the role. */
  readonly username: string;
  readonly role: Role;
  readonly provider: string;
  readonly issuer: string;
  readonly sub: string;
  readonly isBlocked: boolean;
  readonly firstLoginAt: number;
  readonly lastLoginAt: number;
}

/** A session, as administrators see it. */
export interface OpenSession {
  readonly id: string;
  readonly username: string;
  readonly role: Role;
  readonly provider: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly ip: string;
  readonly agent: string;
  /** Whether it is the one that asks. */
  readonly isOwn: boolean;
}

/** A record of the audit: what somebody did, or was refused. */
export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  /** `anna` is a local user, `anna@company` one of the provider `company`. */
  readonly username?: string;
  readonly role?: Role;
  readonly provider?: string;
  readonly ip: string;
  /** `job.trigger`, `job.config.update`, `auth.login`, … */
  readonly action: string;
  /** The registry centre or data source, if it is about one. */
  readonly registry?: string;
  /** The job, server, user, … */
  readonly target?: string;
  readonly reason?: string;
  readonly outcome: 'done' | 'failed' | 'refused';
  readonly error?: string;
  /** The record stands for so many refusals of one caller in a minute, besides those that have records of their own. */
  readonly count?: number;
  readonly before?: Readonly<Record<string, string>>;
  readonly after?: Readonly<Record<string, string>>;
  readonly requestId: string;
}
