/**
 * The rules that hold in every history: one rule a function, from evidence to the faults it finds. The rules judge
 * commits and user code, and do not depend on how the kernel works.
 *
 * | Rules | Say |
 * |---|---|
 * | `oracle-runs` | no item runs twice at once; marks name who runs; tokens grow; no firing runs an item twice |
 * | `oracle-firings` | no firing leaves out an item, unless the declared policy says so |
 * | `oracle-rescues` | every lost run is made again exactly once while failover is on |
 * | `oracle-triggers` | each accepted trigger runs each item exactly once, at once if nothing keeps it, though the session ends |
 * | `oracle-items` | the pool has no more items at once than places; nothing that has ended is run again, nothing for a foreign instant; the log names no firing as lost that was run |
 * | `oracle-stops` | an instance that is stopped begins nothing, hands over its idle items at once and is given none |
 * | `oracle-calls` | listeners that are called once in the cluster: once for each instant, around all its items, in order |
 * | `oracle-trace` | the trace has one row for each begun item, with its end unless its process died, and an end for each run |
 * | `oracle-rest` | at rest nothing is left over, no instance waits or sends requests, and firings are as on the first
 *   day |
 */
import { Evidence } from './evidence.js';
import { type History } from './history.js';
import { missedFirings } from './oracle-firings.js';
import { crowding, foreignLatches, lostFirings, ownReruns, returnedItems, unhandled } from './oracle-items.js';
import { lostRuns } from './oracle-rescues.js';
import { earlyItems, itemsAfterLastCall, quietCalls, repeatedCalls, unorderedCalls } from './oracle-calls.js';
import { endless, requests, unquietFirings, unrest } from './oracle-rest.js';
import { doubles, overlaps, tokens, unmarkedRuns } from './oracle-runs.js';
import { begunAfterStop, heldWhileStopping } from './oracle-stops.js';
import { tracedEnds, tracedItems, tracedRuns, tracedStates } from './oracle-trace.js';
import { promptTriggers, triggers } from './oracle-triggers.js';
import { type Recording } from './recording.js';

/** Something that must not be. */
export interface Fault {
  readonly rule: string;
  readonly text: string;
}

type Rule = (evidence: Evidence) => readonly string[];

/** All rules by their names. */
export const RULES: Readonly<Record<string, Rule>> = {
  endless,
  overlaps,
  unmarkedRuns,
  tokens,
  doubles,
  missedFirings,
  lostRuns,
  triggers,
  promptTriggers,
  crowding,
  ownReruns,
  returnedItems,
  foreignLatches,
  begunAfterStop,
  heldWhileStopping,
  repeatedCalls,
  earlyItems,
  itemsAfterLastCall,
  unorderedCalls,
  quietCalls,
  tracedItems,
  tracedRuns,
  tracedEnds,
  tracedStates,
  unhandled,
  lostFirings,
  unrest,
  unquietFirings,
  requests,
};

/** Everything that is wrong with a history as it was played. */
export function judge(history: History, recording: Recording): readonly Fault[] {
  const evidence = new Evidence(history, recording);
  return Object.entries(RULES).flatMap(([rule, find]) => find(evidence).map((text) => ({ rule, text })));
}
