/** Asks all hosts of a URL at once for a link. */
import { DeadlineExceededError } from '../../api/errors/errors.js';
import { Deferred } from '../../async/deferred.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type PostgresLink } from './connection/link.js';
import { type PostgresqlHost } from './postgresql-configuration.js';

/** A host that takes writes. */
export interface OpenedHost {
  readonly host: PostgresqlHost;
  readonly link: PostgresLink;
}

/** A host that could not be used. */
export interface FailedHost {
  readonly host: PostgresqlHost;
  readonly error: unknown;
}

/** How long the other hosts have to answer once one has that takes writes, in milliseconds. */
const OTHERS_MS = 1_000;
/** How long a link that is not needed may take to say good-bye, in milliseconds. */
const LEAVE_MS = 1_000;

/**
 * @param open opens a link, and fails in time if that is not possible
 * @returns the hosts that have answered or failed, in the given order
 */
export async function attemptAll(
  hosts: readonly PostgresqlHost[],
  open: (host: PostgresqlHost) => Promise<PostgresLink>,
  clock: Clock,
): Promise<readonly (OpenedHost | FailedHost)[]> {
  const attempts = new Map<PostgresqlHost, OpenedHost | FailedHost>();
  const enough = new Deferred();
  let isOver = false;
  let cancel: (() => void) | undefined;
  const all = hosts.map(async (host) => {
    const attempt = await open(host).then(
      (link) => ({ host, link }),
      (error: unknown) => ({ host, error }),
    );
    if (isOver) return 'link' in attempt ? leave(attempt.link, clock) : undefined;
    attempts.set(host, attempt);
    if ('link' in attempt) cancel ??= clock.after(OTHERS_MS, () => enough.resolve());
  });
  await Promise.race([Promise.all(all), enough.promise]);
  isOver = true;
  cancel?.();
  return hosts.flatMap((host) => attempts.get(host) ?? []);
}

/** Ends a link that is not needed. */
export async function leave(link: PostgresLink, clock: Clock): Promise<void> {
  const late = (): Error => new DeadlineExceededError('the end of a connection', LEAVE_MS);
  await withDeadline(clock, link.end(), LEAVE_MS, late).catch(() => link.break('another host is used'));
}
