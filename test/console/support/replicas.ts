import {
  type ElasticJobConsoleOptions,
  type StateRegistrySettings,
} from '../../../lib/console/options/console-options.js';
import { ConsoleApp, USERS } from './console-app.js';

/** The keys that all replicas share. */
export const SHARED_KEYS = {
  sessionKeys: ['a key that signs for all replicas, of more than 32'],
  secretKey: 'a key that encrypts for all replicas, of more than 32',
} as const;

/** A replica of the console whose state is there. */
export function startReplica(
  stateRegistry: StateRegistrySettings,
  more: ElasticJobConsoleOptions = {},
): Promise<ConsoleApp> {
  return ConsoleApp.start({ console: { users: USERS, ...SHARED_KEYS, stateRegistry, ...more } });
}
