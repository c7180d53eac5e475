import { Random } from '../../support/random.js';
import { type FaultKind, faultKinds, type RegistryKind } from './history.js';

/** A future fault. Its target depends on the state of the cluster then; all chance is in the plan. */
export interface PlannedFault {
  readonly number: number;
  /** Milliseconds from the start of the campaign. */
  readonly atMs: number;
  readonly kind: FaultKind;
  /** 0 ≤ x < 1: which of those that can be met. */
  readonly choice: number;
  /** How long until it is made good. */
  readonly durationMs: number;
  /**
   * True if packets that a cut held back are delivered afterwards, as if sent again; false if they are lost with the
   * connection.
   */
  readonly delivers: boolean;
  /** How much later everything arrives while the network is slow. */
  readonly delayMs: number;
}

/** How many faults, how often, and on what. */
export interface PlanOptions {
  readonly registry: RegistryKind;
  readonly count: number;
  /** Mean time between arrivals of faults. */
  readonly meanGapMs: number;
  readonly sessionMs: number;
}

/** How often each kind comes, and how long it lasts in multiples of the session timeout. */
const KINDS: Readonly<Record<FaultKind, readonly [weight: number, shortest: number, longest: number]>> = {
  kill: [22, 0, 1.6],
  'freeze past the session': [14, 1.3, 2.3],
  'freeze within the session': [10, 0.15, 0.6],
  'stop and restart': [14, 0, 0.6],
  'cut both ways': [11, 0.2, 2.2],
  'cut sending': [8, 0.3, 2.2],
  'cut receiving': [8, 0.3, 2.2],
  'slow network': [8, 0.3, 2.2],
  'reset connections': [4, 0, 0.1],
  'kill a follower': [3, 0.1, 1],
  'kill the leader': [4, 0.1, 1],
  'freeze the leader': [2, 0.8, 1.2],
  'move the leader': [2, 0, 0],
  'end all connections': [4, 0, 0],
  'restart the server': [2, 0, 0.6],
  'crash the server': [2, 0.1, 1],
  'freeze the server': [2, 0.3, 1.2],
  'fail over to the standby': [3, 0, 0.5],
};

/** The longest delay of a slow network, in either direction, in multiples of the session timeout. */
const LONGEST_DELAY = 0.5;

/** Of arrivals, how many bring several faults at once. */
const SHARE_OF_BURSTS = 0.12;

/**
 * Faults in the order in which they come: the same for the same seed. Arrivals are independent of each other (Poisson).
 */
export function planFaults(
  seed: number,
  { registry, count, meanGapMs, sessionMs }: PlanOptions,
): readonly PlannedFault[] {
  const random = new Random(seed);
  const kinds = faultKinds(registry);
  const deck = kinds.flatMap((kind) => Array<FaultKind>(KINDS[kind][0]).fill(kind));
  const faults: PlannedFault[] = [];
  let atMs = 0;
  let left = 0;
  while (faults.length < count) {
    if (left === 0) {
      atMs += -Math.log(1 - random.next()) * meanGapMs;
      left = random.next() < SHARE_OF_BURSTS ? random.integer(2, 4) : 1;
    }
    left--;
    // Each kind comes once before any comes twice.
    const drawn = random.pick(deck);
    const chosen = kinds[faults.length] ?? drawn;
    const [, shortest, longest] = KINDS[chosen];
    faults.push({
      number: faults.length + 1,
      atMs: Math.round(atMs),
      kind: chosen,
      choice: random.next(),
      durationMs: Math.round((shortest + random.next() * (longest - shortest)) * sessionMs),
      delivers: random.next() < 0.5,
      delayMs: Math.round(random.next() * LONGEST_DELAY * sessionMs),
    });
  }
  return faults;
}
