/**
 * The value of `x-node/faults/{id}`, a session node: the fault that the job has on that instance, if no other node of
 * the registry centre shows it, so that `explain` in other processes can name it. Java neither writes nor reads it.
 *
 * It is the state and the reason, as in the health report: `blocked settings in /bill/config cannot be used: …`.
 */
import { withoutSecrets } from '../../api/text/secrets.js';

/** The fault of a job on one instance, as that instance reports it. */
export interface StoredInstanceFault {
  readonly state: (typeof STATES)[number];
  /** The reason, and the cure. */
  readonly reason: string;
}

const STATES = ['blocked', 'failed', 'impaired'] as const;

/** The longest reason that is stored, in UTF-16 code units. */
const LONGEST_REASON = 2_000;

/** The text for a fault: passwords and the like are masked, and a reason that is too long is cut. */
export function encodeInstanceFault({ state, reason }: StoredInstanceFault): string {
  const text = withoutSecrets(reason);
  const cut = text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON - 1)}…` : text;
  // After the cut, which may leave half of a character.
  return `${state} ${cut.replace(/\0|[\ud800-\udfff]/gu, '\ufffd')}`;
}

/** The inverse of `encodeInstanceFault`; `undefined` for a text that no instance writes. */
export function decodeInstanceFault(text: string): StoredInstanceFault | undefined {
  const state = STATES.find((each) => text.startsWith(`${each} `));
  if (state === undefined) return undefined;
  const start = state.length + 1;
  return { state, reason: text.slice(start, start + LONGEST_REASON) };
}
