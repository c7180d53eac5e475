import { type FoundCause, type KnownFault, type Question } from './question.js';

/** Faults that instances have reported about themselves. */
export interface InstanceFaults {
  /** Faults that keep the items in question from running. */
  readonly decisive: readonly FoundCause[];
  /** Faults that do not keep these items from running. */
  readonly beside: readonly FoundCause[];
  /** True if a fault keeps the items of this owner from running. */
  readonly keeps: (owner: string | undefined) => boolean;
}

/**
 * Sorts the faults of instances: a fault keeps only the items of its own instance from running. Instances with the same
 * fault are joined.
 */
export function instanceFaults({ view, item, faults }: Question): InstanceFaults {
  const asked = view.items.filter((each) => item === undefined || each.item === item);
  const owners = new Set(asked.flatMap(({ owner }) => owner ?? []));
  const isDecisive = ({ state, instanceId }: KnownFault): boolean =>
    view.exists && state !== 'impaired' && (owners.size === 0 || owners.has(instanceId));
  const decisive = faults.filter(isDecisive);
  const blocked = new Set(decisive.map(({ instanceId }) => instanceId));
  return {
    decisive: together(decisive),
    beside: together(faults.filter((fault) => !blocked.has(fault.instanceId))),
    keeps: (owner) => blocked.size > 0 && (owner === undefined || blocked.has(owner)),
  };
}

function together(faults: readonly KnownFault[]): readonly FoundCause[] {
  const groups = new Map<string, { readonly first: KnownFault; readonly alsoOn: string[] }>();
  // The instance that is asked goes first.
  const sorted = [...faults.filter(({ isHere }) => isHere), ...faults.filter(({ isHere }) => !isHere)];
  for (const fault of sorted) {
    const key = `${fault.state} ${fault.reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: fault, alsoOn: [] });
    else group.alsoOn.push(fault.instanceId);
  }
  return [...groups.values()].map(({ first, alsoOn }) => ({ type: 'instance-fault', ...first, alsoOn }));
}
