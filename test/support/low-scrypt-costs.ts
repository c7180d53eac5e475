import { type ScryptCosts } from '../../lib/console/security/passwords/scrypt-costs.js';

/** In place of the costs in lib: a hash takes milliseconds. They differ from those of the hashes in settings of tests. */
export const NEW_HASH_COSTS: ScryptCosts = { ln: 11, r: 8, p: 1 };
