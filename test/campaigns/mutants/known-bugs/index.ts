import { type Mutant } from '../mutant.js';
import { failover } from './failover.js';
import { graphs } from './graphs.js';
import { listeners } from './listeners.js';
import { misfire } from './misfire.js';
import { ownShare } from './own-share.js';
import { runs } from './runs.js';
import { sessions } from './sessions.js';
import { sharding } from './sharding.js';

/** Bugs of ElasticJob, and other mistakes that are easy to make, as they would look in this library. */
export const knownBugs: readonly Mutant[] = [
  ...failover,
  ...sharding,
  ...runs,
  ...misfire,
  ...sessions,
  ...listeners,
  ...ownShare,
  ...graphs,
];
