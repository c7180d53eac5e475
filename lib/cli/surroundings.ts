import { type RegistryCenter } from '../registry/registry-center.js';
import { type JobLogger } from '../api/text/logger.js';
import { type RegCenterSettings } from '../settings/reg-center-settings.js';
import { type Clock } from '../time/clock.js';
import { type Terminal } from './terminal/terminal.js';

/** The parts of the process that a command uses. */
export interface Surroundings {
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly directory: string;
  readonly clock: Clock;
  /** The version of the package. */
  readonly version: () => string;
  /** Makes the registry centre that the settings describe, not connected yet. Default: ZooKeeper's. */
  readonly openRegistry?: (settings: RegCenterSettings, logger: JobLogger) => RegistryCenter;
}

/** Options that all commands have. */
export interface CommonOptions {
  readonly json?: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
  readonly verbose?: boolean;
  /** The most milliseconds that the registry centre may take to answer. */
  readonly timeout: number;
  readonly config?: string;
  readonly settingsEnv?: string;
  readonly registry?: string;
  readonly servers?: string;
  readonly namespace?: string;
  readonly digestFile?: string;
  readonly tls?: boolean;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsPassphraseFile?: string;
  readonly tlsServername?: string;
  readonly saslUsername?: string;
  readonly saslPasswordFile?: string;
}

/** Options of commands that change something. */
export interface ChangeOptions {
  readonly yes?: boolean;
  readonly reason?: string;
}
