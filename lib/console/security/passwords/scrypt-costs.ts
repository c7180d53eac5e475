/** The costs of a hash: 2^ln × r × 128 bytes of memory. */
export interface ScryptCosts {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/**
 * The costs of new hashes: some 300 ms of a processor. Tests in the process of the console replace this file
 * (`moduleNameMapper` of Jest), because most of their time would be hashing.
 */
export const NEW_HASH_COSTS: ScryptCosts = { ln: 17, r: 8, p: 1 };
