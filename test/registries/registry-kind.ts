import { randomUUID } from 'node:crypto';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { type RegCenterSettings } from '../../lib/settings/reg-center-settings.js';
import { type JobLogger } from '../../lib/api/text/logger.js';
import { type TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

/**
 * A kind of registry centre, with real servers: the parameter of the suites in this folder, which tell what the kernel
 * does on every one of them.
 */
export interface RegistryKind {
  /** As in `ZooKeeper`. */
  readonly name: string;
  /** A server for the tests that leave it running. To be called once, where tests are declared. */
  shared(): RegistryServer;
  /** A server for one test, which may stop it; it has no data. */
  start(): Promise<OwnRegistryServer>;
}

/** A running server. */
export interface RegistryServer {
  /** `elasticjob.regCenter` for a centre on it. Of a shared server known from the first test on. */
  regCenter(choices: CentreChoices): RegCenterSettings;
  /** A connected centre behind a proxy of its own. */
  openProxied(choices: CentreChoices): Promise<ProxiedRegistryCenter>;
}

/** A server that a test may stop. */
export interface OwnRegistryServer extends RegistryServer, AsyncDisposable {
  /** `host:port`, for a proxy. */
  readonly address: string;
  /** The words of an instance's log for a server that is not there, and for one that is connected again. */
  readonly logged: { readonly absent: string; readonly connected: string };
  /** Ends it in good order; its data stay. */
  stop(): Promise<void>;
  /** Starts it again on the same port and data, ending it first if it runs. Resolves when it serves. */
  restart(): Promise<void>;
  /** Makes a backup of its data, for `loseData()`. */
  backUp(): Promise<void>;
  /** Ends it and removes its data, or puts the backup in their place. For `restart()`. */
  loseData(instead?: 'nothing' | 'backup'): Promise<void>;
}

/** How a centre is opened. */
export interface CentreChoices {
  readonly namespace: string;
  /** Default: that of the registry centre. */
  readonly sessionTimeoutMilliseconds?: number;
  /** The `host:port` to connect to instead of the server's: that of a proxy. */
  readonly address?: string;
}

/** A registry centre behind a proxy of its own, and what a test may do to it. */
export interface ProxiedRegistryCenter extends AsyncDisposable {
  readonly centre: RegistryCenter;
  readonly proxy: TcpProxy;
  /** Ends the session at the server behind the centre's back; resolves when its nodes are gone. */
  expire(): Promise<void>;
  close(): Promise<void>;
}

const nothing = (): void => undefined;

/** A logger that drops everything. */
export const silent: JobLogger = { debug: nothing, log: nothing, warn: nothing, error: nothing };

/** A namespace that no other test uses. */
export const newNamespace = (): string => `test-${randomUUID()}`;

/** A centre that is asked to connect. */
export function connecting(settings: RegCenterSettings, logger: JobLogger = silent): RegistryCenter {
  const centre = createRegistryCenter(settings, logger);
  centre.connect();
  return centre;
}

/** A centre that is connected, as an operator has it. */
export async function connected(settings: RegCenterSettings): Promise<RegistryCenter> {
  const centre = connecting(settings);
  await until(() => centre.session.state.phase === 'connected', 'the operator is connected');
  return centre;
}
