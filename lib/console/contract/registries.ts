/** How a registry centre is reached now. */
export interface RegistryStatus {
  readonly phase: 'connected' | 'connecting' | 'suspended' | 'lost' | 'disconnected';
  /** The whole sentence of why it is not connected, with its cure. */
  readonly reason?: string;
  /** Since when it is in this phase. */
  readonly since: number;
  /** How long the last request took. */
  readonly latencyMs?: number;
}

/** A registry centre that the console knows: `GET /api/v1/registries`. */
export interface RegistryInfo {
  /** Its id in paths. */
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  readonly hasDigest: boolean;
  /** `settings`: stands in the settings or is the application's own, and cannot be changed here. */
  readonly origin: 'settings' | 'application' | 'console';
  readonly status: RegistryStatus;
  readonly jobCount?: number;
}

/** `POST /api/v1/registries` and `/test`, `PUT /api/v1/registries/{r}` (an omitted digest stays as it is). */
export interface RegistryChange {
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  readonly digest?: string;
}

/** Answer of `POST /api/v1/registries/test` and of the data sources'. */
export interface ConnectionTest {
  readonly isOk: boolean;
  readonly latencyMs?: number;
  /** Why not: a category, never the answer of who was asked. */
  readonly reason?:
    'refused' | 'time-out' | 'name-unknown' | 'no-route' | 'credentials' | 'tls' | 'not-allowed' | 'other';
  readonly detail?: string;
}
