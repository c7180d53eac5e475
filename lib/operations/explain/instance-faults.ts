import { type FoundCause, type KnownFault, type Question } from './question.js';

/** What instances say of themselves. */
export interface InstanceFaults {
  /** What keeps the items that are asked about from running. */
  readonly decisive: readonly FoundCause[];
  /** What is the case besides. */
  readonly beside: readonly FoundCause[];
  /** Whether an item with this owner is kept from running. */
  readonly keeps: (owner: string | undefined) => boolean;
}

/** An instance's fault keeps only its own items from running. Instances with the same fault are named together. */
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
