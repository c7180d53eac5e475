/** A user and a password; each may be missing or empty. */
export interface GivenCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Stands for a user or a password that nobody has entered. */
const NOBODY = 'none';

/**
 * The user and the password that the console sends to a PostgreSQL of the page. Without either, the driver would send
 * that of the process (`PGUSER`, `PGPASSWORD`, `~/.pgpass`), which is meant for other servers.
 */
export function postgresCredentials({ username, password }: GivenCredentials): {
  readonly username: string;
  readonly password: string;
} {
  return { username: username || NOBODY, password: password || NOBODY };
}
