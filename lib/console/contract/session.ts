import { type Permission, type Role } from './common.js';

/** `GET /api/v1/auth/session`: 200 for a user who is logged in, else 401. */
export interface SessionInfo {
  readonly username: string;
  readonly role: Role;
  readonly permissions: readonly Permission[];
  /** `local`, or the name of the OIDC provider. */
  readonly provider: string;
  /** The end of the session if no request comes until then. */
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
  /** True if there is no administrator yet: only `POST /api/v1/setup` is served, and the page shows the set-up. */
  readonly isSetupNeeded: boolean;
  /** True if users can log in with a name and a password. */
  readonly local: boolean;
  readonly oidc: readonly { readonly name: string; readonly title: string }[];
}

/** `POST /api/v1/setup`: makes the first administrator and logs in. The process has printed the code. */
export interface SetupRequest extends LoginRequest {
  readonly code: string;
}

/** `GET /api/v1/meta`, for all users who are logged in. */
export interface ConsoleMeta {
  readonly version: string;
  /** The name of the environment, such as `production`; shown as a badge. */
  readonly environment?: string;
  readonly nodeVersion: string;
  /** True if registry centres and data sources can be added in the page. */
  readonly canAddConnections: boolean;
}

/** A token for scripts, without its secret. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** The provider of its owner: `local`, or the name of the OIDC provider. */
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
  /** `settings` if the user is in the settings, and cannot be changed here. */
  readonly origin: 'settings' | 'console';
  readonly createdAt?: number;
  readonly lastLoginAt?: number;
}

/** `POST /api/v1/users` (with `username` and `password`), `PUT /api/v1/users/{u}` (the fields to change). */
export interface UserChange {
  readonly username?: string;
  readonly password?: string;
  readonly role?: Role;
  readonly isEnabled?: boolean;
}

/** A user of an OIDC provider who has logged in. `PUT /api/v1/oidc-users/{id}` takes `isBlocked`. */
export interface OidcAccount {
  /** Made from issuer and `sub`, which identify the account; names at the provider may change. */
  readonly id: string;
  /** The name at the last login, like the role. */
  readonly username: string;
  readonly role: Role;
  readonly provider: string;
  readonly issuer: string;
  readonly sub: string;
  readonly isBlocked: boolean;
  readonly firstLoginAt: number;
  readonly lastLoginAt: number;
}

/** A session, for administrators. */
export interface OpenSession {
  readonly id: string;
  readonly username: string;
  readonly role: Role;
  readonly provider: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly ip: string;
  readonly agent: string;
  /** True for the session of this request. */
  readonly isOwn: boolean;
}

/** A record of the audit: an action of a user, or a refusal. */
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
  /** The registry centre or data source, if the action concerns one. */
  readonly registry?: string;
  /** The job, server, user, … */
  readonly target?: string;
  readonly reason?: string;
  readonly outcome: 'done' | 'failed' | 'refused';
  readonly error?: string;
  /** The number of refusals of one caller in a minute that this record counts, besides those with their own records. */
  readonly count?: number;
  readonly before?: Readonly<Record<string, string>>;
  readonly after?: Readonly<Record<string, string>>;
  readonly requestId: string;
}
