import { randomUUID } from 'node:crypto';
import { loadPostgresDriver, type PostgresClient } from '../../../lib/registry/postgresql/connection/driver.js';
import {
  PostgresqlRegistryCenter,
  type PostgresqlRegistryCenterOptions,
} from '../../../lib/registry/postgresql/postgresql-registry-center.js';
import { type PostgresqlConfiguration } from '../../../lib/registry/postgresql/postgresql-configuration.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { type ServerAddress } from './servers.js';

/** A registry centre behind a proxy of its own, and what a test may do to it. */
export interface ProxiedPostgresql extends AsyncDisposable {
  readonly centre: PostgresqlRegistryCenter;
  readonly proxy: TcpProxy;
  /** Ends the session at the server behind the centre's back; resolves when its nodes are gone. */
  expire(): Promise<void>;
  close(): Promise<void>;
}

/** How a centre is opened; a schema and a namespace of their own unless they are given. */
export type CentreOptions = Partial<PostgresqlConfiguration> &
  PostgresqlRegistryCenterOptions & {
    /** The role to connect as. Default: the administrator. */
    readonly role?: string;
    readonly database?: string;
  };

/** A name for a schema or a namespace that no other test uses. */
export const newName = (): string => `t_${randomUUID().replaceAll('-', '')}`;

/** Opens a centre through a proxy and waits until it is connected. */
export async function openPostgresql(server: ServerAddress, options: CentreOptions = {}): Promise<ProxiedPostgresql> {
  const proxied = await proxiedPostgresql(server, options);
  proxied.centre.connect();
  await until(() => proxied.centre.session.state.phase === 'connected', 'the centre is connected');
  return proxied;
}

/** As `openPostgresql`, but does not connect. */
export async function proxiedPostgresql(
  { port }: ServerAddress,
  { logger, clock, role = 'postgres', database = 'postgres', ...options }: CentreOptions = {},
): Promise<ProxiedPostgresql> {
  const proxy = await TcpProxy.start(port, 'other');
  const { schema = 'elasticjob', namespace = newName() } = options;
  const centre = new PostgresqlRegistryCenter(
    {
      url: `postgres://${role}@${proxy.address}/${database}`,
      sessionTimeoutMilliseconds: 4_000,
      ...options,
      schema,
      namespace,
    },
    { ...(logger && { logger }), ...(clock && { clock }) },
  );
  const close = async (): Promise<void> => {
    await centre.close();
    await proxy.close();
  };
  const expire = async (): Promise<void> => {
    const { state } = centre.session;
    if (!('id' in state)) throw new Error(`There is no session to end: it is ${state.phase}`);
    await asAdministrator(port, `SELECT "${schema}".ej_end($1, $2, $3)`, [namespace, state.id, null]);
  };
  return { centre, proxy, expire, close, [Symbol.asyncDispose]: close };
}

/** An administrator's transaction that has carried out these statements, and is rolled back when it is disposed of. */
export async function openTransaction(port: number, text: string): Promise<AsyncDisposable> {
  const client = await administrator(port);
  await client.query({ text: `BEGIN; ${text}` });
  let ended: Promise<void> | undefined;
  return { [Symbol.asyncDispose]: () => (ended ??= client.end()) };
}

/** Carries out a statement on a connection of its own, as the server's administrator. */
export async function asAdministrator(
  port: number,
  text: string,
  values: readonly unknown[] = [],
  database = 'postgres',
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = await administrator(port, database);
  try {
    return (await client.query({ text, values })).rows;
  } finally {
    await client.end();
  }
}

async function administrator(port: number, database = 'postgres'): Promise<PostgresClient> {
  const { Client } = await loadPostgresDriver();
  const client = new Client({
    connectionString: `postgres://postgres@127.0.0.1:${port}/${database}`,
    connectionTimeoutMillis: 10_000,
    application_name: 'test',
    keepAlive: false,
  });
  await client.connect();
  return client;
}
