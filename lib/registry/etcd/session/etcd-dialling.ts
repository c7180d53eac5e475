import { randomUUID } from 'node:crypto';
import { type JobLogger } from '../../../api/text/logger.js';
import { isOldEtcd, OLDEST_ETCD } from '../../../api/servers/server-versions.js';
import { type Clock } from '../../../time/clock.js';
import { type Endpoint } from '../client/endpoints.js';
import { EtcdClient } from '../client/etcd-client.js';
import { connectionProblem, EtcdError, Status } from '../client/etcd-error.js';
import { loadGrpc } from '../client/grpc.js';
import { KeepAlive } from '../client/keep-alive.js';
import { isMissing } from '../writes/commit-plan.js';
import { type EtcdSettings } from '../etcd-configuration.js';
import { EtcdConnection } from './etcd-connection.js';
import { type EtcdKeys } from '../etcd-keys.js';
import { leaseOf, sessionIdOf } from '../node-values.js';
import { TreeWatch } from '../tree-watch.js';

/** The endpoint and the session of a new connection, and the functions that it notifies of its lease. */
export interface DialOptions {
  readonly settings: EtcdSettings;
  readonly keys: EtcdKeys;
  readonly clock: Clock;
  readonly logger: JobLogger;
  readonly endpoint: Endpoint;
  /** The session to go on with, if its lease still lives; `undefined`: a new one is begun. */
  readonly former: { readonly id: string; readonly timeoutMs: number } | undefined;
  /** The lease of a lost session, which is ended first. */
  readonly retiring: string | undefined;
  /** Called at once with the client, which may be closed while the connection is being made. */
  readonly onClient: (client: EtcdClient) => void;
  /** The lease was prolonged by a request that was sent at this moment, on the monotonic scale. */
  readonly onRenewed: (sentAt: number) => void;
  /** The lease has ended. */
  readonly onOver: (lease: string) => void;
}

/** The member is of a version that this library does not work with. */
export class EtcdVersionError extends Error {
  override readonly name = 'EtcdVersionError';
  constructor(address: string, version: string) {
    super(
      `etcd at ${address} is of version ${version}, and version ${OLDEST_ETCD} or later is needed: upgrade it, or name ` +
        'other members in regCenter.endpoints',
    );
  }
}

/** Two thirds of the session's timeout, of which the first passes until the next keep-alive is sent. */
const KEEP_ALIVES_IN_TIMEOUT = 3;
/** However long a session is: an endpoint that is silent for longer than that is left. */
const LONGEST_KEEP_ALIVE_MS = 10_000;

/**
 * Connects to an endpoint, with the former session or a new one.
 * @throws EtcdVersionError if the member is too old
 * @throws EtcdError if the endpoint cannot be reached, does not answer in time, or refuses; or if the former session is
 *   over, which `onOver` has been told
 */
export async function dial(options: DialOptions): Promise<EtcdConnection> {
  const { settings, clock, endpoint, former, retiring } = options;
  const client = new EtcdClient(await loadGrpc(), endpoint, {
    clock,
    requestTimeoutMs: settings.requestTimeoutMs,
    credentials: settings.credentials,
    tls: settings.tls,
  });
  options.onClient(client);
  try {
    await client.authenticate();
    await requireVersion(client, endpoint);
    if (retiring !== undefined) await endLease(client, retiring);
    return await (former === undefined ? begin(client, options) : resume(client, options, former));
  } catch (error) {
    client.close();
    throw error;
  }
}

/** A proxy may refuse to say the version. @throws EtcdVersionError if the member is too old */
async function requireVersion(client: EtcdClient, { address }: Endpoint): Promise<void> {
  const version = await client.call('status', {}).then(
    (status) => status.version,
    (error: unknown) => {
      if (error instanceof EtcdError && error.isAnswer) return OLDEST_ETCD;
      throw error;
    },
  );
  if (isOldEtcd(version)) throw new EtcdVersionError(address, version);
}

/** Ends a lease with all keys on it, if it has not ended. */
export async function endLease(client: EtcdClient, id: string): Promise<void> {
  try {
    await client.call('leaseRevoke', { id });
  } catch (error) {
    if (!(error instanceof EtcdError && error.isLeaseOver)) throw error;
  }
}

/** Goes on with a session. */
async function resume(
  client: EtcdClient,
  options: DialOptions,
  { id, timeoutMs }: NonNullable<DialOptions['former']>,
): Promise<EtcdConnection> {
  const lease = leaseOf(id);
  const { header, kvs } = await client.call('range', { key: options.keys.session(id), keysOnly: true });
  if (kvs.length > 0) return keep(client, options, { lease, ttlMs: timeoutMs, revision: Number(header.revision) });
  // Nothing of it is left, or its key was removed without it.
  await endLease(client, lease);
  options.onOver(lease);
  throw new EtcdError(Status.notFound, 'etcd has ended the session');
}

async function begin(client: EtcdClient, options: DialOptions): Promise<EtcdConnection> {
  const { settings, keys, clock, onRenewed } = options;
  const sentAt = clock.monotonic();
  const { id: lease, ttl } = await client.call('leaseGrant', { ttl: settings.ttlSeconds });
  try {
    const { header } = await client.call('txn', sessionTxn(keys, lease));
    onRenewed(sentAt);
    return await keep(client, options, { lease, ttlMs: Number(ttl) * 1_000, revision: Number(header.revision) });
  } catch (error) {
    // Also if the answer was lost: the next attempt makes another session.
    void client.call('leaseRevoke', { id: lease }).catch(() => undefined);
    throw error;
  }
}

/** Puts the session's key, and makes the root and the tree's id if there is no root. */
function sessionTxn(keys: EtcdKeys, lease: string): Parameters<typeof EtcdClient.prototype.call<'txn'>>[1] {
  const session = {
    requestPut: { key: keys.session(sessionIdOf(lease)), value: Buffer.alloc(0), lease },
  };
  const root = { requestPut: { key: keys.node('/'), value: Buffer.alloc(0) } };
  const lineage = { requestPut: { key: keys.lineage, value: Buffer.from(randomUUID()) } };
  return { compare: [isMissing(keys.node('/'))], success: [root, lineage, session], failure: [session] };
}

interface LiveLease {
  readonly lease: string;
  readonly ttlMs: number;
  /** Of the store, not later than that of anything that is read through this connection. */
  readonly revision: number;
}

/** Keeps the lease alive from now on, and watches; resolves when the lease has been prolonged. */
function keep(
  client: EtcdClient,
  { settings, keys, clock, logger, endpoint, onRenewed, onOver }: DialOptions,
  { lease, ttlMs, revision }: LiveLease,
): Promise<EtcdConnection> {
  const connection = new EtcdConnection(endpoint, client, lease, ttlMs);
  return new Promise((resolve, reject) => {
    // Before the first answer the session learns of it by a rejection, afterwards by the broken connection.
    const onProblem = (problem: string): void => {
      reject(new EtcdError(Status.unavailable, problem));
      connection.break(problem);
    };
    const over = (): void => {
      onProblem('etcd has ended the session');
      onOver(lease);
    };
    const watch = new TreeWatch({
      ...{ client, keys, logger, session: sessionIdOf(lease), revision },
      onSessionEnd: over,
      onEnd: (error) => onProblem(connectionProblem(error)),
    });
    connection.use({ watch });
    const keepAlive = new KeepAlive(client, clock, {
      leaseId: lease,
      intervalMs: Math.min(LONGEST_KEEP_ALIVE_MS, ttlMs / KEEP_ALIVES_IN_TIMEOUT, settings.requestTimeoutMs),
      onRenewed: (sentAt) => {
        onRenewed(sentAt);
        resolve(connection);
      },
      onOver: over,
      onSilent: (silentMs) => onProblem(`no answer for ${Math.round(silentMs)} ms`),
      onEnd: (error) => onProblem(connectionProblem(error)),
    });
    connection.use({ keepAlive });
  });
}
