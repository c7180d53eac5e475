/**
 * The features of half of all histories: each feature changes a plain history so that it meets one kind of trouble
 * often. Features draw from a random stream of their own, so that a plain history stays what its seed makes it.
 */
import { Random } from '../../support/random.js';
import { Embellishment } from './embellishment.js';
import { type History } from './history.js';

/** Kinds of trouble, by the names that logs and shares give them. */
export type Feature =
  keyof typeof WEIGHTS | keyof typeof RARITIES | keyof typeof LATEST | keyof typeof OTHER_REGISTRIES;

/** How often each feature comes among the histories that have one; out of the sum of all. */
const WEIGHTS = {
  'monitoring switched': 60,
  'registry wiped': 60,
  'large job': 2,
  'own strategy': 100,
  'stop while choosing': 120,
  'once-listener': 250,
  'pool of one': 40,
  'trigger and lost session': 100,
  'run outlives its session': 100,
  'items dropped and back': 80,
  'stop beside a slow item': 100,
  'poisonous errors': 50,
  'failing logger': 50,
} as const;

/**
 * Features that came later: one of so many histories has each. They do not change what seeds have drawn of the others.
 */
const RARITIES = { 'run limits': 40, 'sticky strategy': 40 } as const;

/** Those that came last, for the same reason with a stream of their own. */
const LATEST = { 'items triggered': 40 } as const;

/** The troubles of registry centres that are no ZooKeeper, which came after all others, with a stream of their own. */
const OTHER_REGISTRIES = {
  'late sweep': 40,
  'changes heard late': 40,
  'mirrors read again': 40,
  'leases prolonged': 40,
} as const;

/** Chosen such that the seeds of `found.spec.ts` stay plain that were found before there were features. */
const STREAM = 0x28a9;

/** Chosen such that no seed of `found.spec.ts` has a later feature that was found before there were any. */
const LATER_STREAM = 0x1014;

/** Chosen such that no seed of `found.spec.ts` has one of the latest. */
const LATEST_STREAM = 0x2007;

/** Chosen such that no seed of `found.spec.ts` that was found before has one of these. */
const STREAM_OF_OTHER_REGISTRIES = 0xda36a;

/** The names of all features. */
export const FEATURES = [
  ...Object.keys(WEIGHTS),
  ...Object.keys(RARITIES),
  ...Object.keys(LATEST),
  ...Object.keys(OTHER_REGISTRIES),
] as readonly Feature[];

/** The plain history with the features that its seed draws: none for two fifths of all seeds. */
export function withFeatures(plain: History): History {
  const random = new Random(plain.seed ^ STREAM);
  const first = embellished(plain, drawn(random), random);
  const later = withLaterFeatures(first, RARITIES, new Random(plain.seed ^ LATER_STREAM));
  const latest = withLaterFeatures(later, LATEST, new Random(plain.seed ^ LATEST_STREAM));
  return withLaterFeatures(latest, OTHER_REGISTRIES, new Random(plain.seed ^ STREAM_OF_OTHER_REGISTRIES));
}

function withLaterFeatures(
  history: History,
  rarities: Readonly<Partial<Record<Feature, number>>>,
  random: Random,
): History {
  const later = Object.entries(rarities).flatMap(([feature, rarity]) =>
    random.integer(1, rarity) === 1 ? [feature as Feature] : [],
  );
  // Large jobs take long enough alone.
  return history.features?.includes('large job') === true ? history : embellished(history, later, random);
}

function embellished(history: History, features: readonly Feature[], random: Random): History {
  if (features.length === 0) return history;
  const changed = features.reduce((before, feature) => new Embellishment(before, random).add(feature), history);
  return { ...changed, features: [...(history.features ?? []), ...features] };
}

function drawn(random: Random): readonly Feature[] {
  if (random.integer(1, 2) === 1) return [];
  const first = weighted(random);
  const second = random.integer(1, 6) === 1 ? weighted(random) : first;
  // Large jobs take long enough alone.
  const isAlone = second === first || [first, second].includes('large job');
  return isAlone ? [first] : [first, second];
}

function weighted(random: Random): Feature {
  const features = Object.entries(WEIGHTS) as [Feature, number][];
  let left = random.integer(
    1,
    features.reduce((sum, [, weight]) => sum + weight, 0),
  );
  for (const [feature, weight] of features) if ((left -= weight) <= 0) return feature;
  throw new RangeError('the weights do not add up');
}
