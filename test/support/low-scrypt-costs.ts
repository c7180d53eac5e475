import { type ScryptCosts } from '../../lib/console/security/passwords/scrypt-costs.js';

/** In place of the costs in lib: a hash takes milliseconds. Hashes in the settings of tests have other costs still. */
export const NEW_HASH_COSTS: ScryptCosts = { ln: 11, r: 8, p: 1 };
