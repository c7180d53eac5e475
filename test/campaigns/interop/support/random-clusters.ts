import fc from 'fast-check';

/** The input of a sharding strategy: instances are pairs of id and ip, in the order for the strategy. */
export interface Cluster {
  readonly job: string;
  readonly total: number;
  readonly instances: readonly (readonly [id: string, ip: string])[];
}

/** Any text that can be stored. */
const text = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: 'grapheme', minLength: 1, maxLength });

const instance = fc.tuple(
  fc.oneof(
    fc.tuple(fc.ipV4(), fc.nat(99_999)).map(([ip, pid]) => `${ip}@-@${pid}`),
    text(12),
  ),
  fc.ipV4(),
);

const cluster: fc.Arbitrary<Cluster> = fc.record({
  job: text(20),
  total: fc.integer({ min: 1, max: 40 }),
  instances: fc
    .uniqueArray(instance, { selector: ([id]) => id, minLength: 1, maxLength: 9 })
    .map((instances) => instances.sort(([one], [other]) => (one < other ? 1 : -1))),
});

/** Always the same. */
export function randomClusters(count: number): readonly Cluster[] {
  return fc.sample(cluster, { numRuns: count, seed: 4 });
}
