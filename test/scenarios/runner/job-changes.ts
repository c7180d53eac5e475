import { type NodeChange } from '../../../lib/registry/embedded/node-tree.js';

/**
 * The kind of a job's node. It is parsed here again, and not by the library's own reader, whose mistakes would hide
 * themselves.
 */
export type NodeKind = (typeof KINDS)[number][0] | 'other';

/** The change of one node of a job by a commit. */
export interface Change {
  readonly kind: NodeKind;
  readonly did: 'created' | 'written' | 'removed';
  /** Below the job's root; empty for the root. */
  readonly path: string;
  /** Number of the item it is about, or -1. */
  readonly item: number;
  /** Id, ip or stage it is about, or the empty text. */
  readonly of: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const KINDS = [
  ['root', /^$/],
  ['configuration', /^config$/],
  ['instance', /^instances\/(?<of>[^/]+)$/],
  ['server', /^servers\/(?<of>[^/]+)$/],
  ['leader', /^leader\/election\/instance$/],
  ['request', /^leader\/sharding\/necessary$/],
  ['assigning', /^leader\/sharding\/processing$/],
  ['crash', /^leader\/failover\/items\/(?<item>\d+)$/],
  ['item', /^sharding\/(?<item>\d+)$/],
  ['owner', /^sharding\/(?<item>\d+)\/instance$/],
  ['running', /^sharding\/(?<item>\d+)\/running$/],
  ['failover', /^sharding\/(?<item>\d+)\/failover$/],
  ['failovering', /^sharding\/(?<item>\d+)\/failovering$/],
  ['misfire', /^sharding\/(?<item>\d+)\/misfire$/],
  ['disabled', /^sharding\/(?<item>\d+)\/disabled$/],
  ['trigger', /^trigger\/(?<of>[^/]+)$/],
  ['accepted', /^x-node\/triggered\/(?<of>[^/]+)$/],
  ['round', /^guarantee\/(?<of>started|completed)$/],
  ['arrival', /^guarantee\/(?<of>started|completed)\/(?<item>\d+)$/],
  ['next-runner', /^next-job-instance-ip$/],
  ['live', /^x-node\/live\/(?<of>[^/]+)$/],
  ['presence', /^x-node\/guarantee\/present\/[^/]+$/],
  ['rounds', /^x-node\/guarantee\/(started|completed)$/],
  ['caller', /^x-node\/guarantee\/(started|completed)-by$/],
  ['assigned-for', /^x-node\/assigned-for$/],
  ['record', /^x-node\/fired\/(?<of>[^/]+)$/],
  ['crash-report', /^x-node\/crashed\/(?<item>\d+)$/],
  ['place-in-the-failover-queue', /^leader\/failover\/latch\/[^/]+$/],
  ['place-in-a-queue', /^(leader\/election\/latch|guarantee\/\w+-latch)\/[^/]+$/],
  ['time', /^systemTime\/current$/],
  [
    'folder',
    /^(instances|servers|leader|leader\/(election|election\/latch|sharding|failover|failover\/(items|latch))|sharding|trigger|guarantee|guarantee\/\w+-latch|systemTime|x-node|x-node\/\w+|x-node\/guarantee\/present)$/,
  ],
] as const satisfies readonly (readonly [string, RegExp])[];

/** The changes of one commit to one job, from which those that have been told are taken away. */
export class JobChanges {
  readonly #left: Set<Change>;

  constructor(root: string, changes: readonly NodeChange[]) {
    this.#left = new Set(changes.map((change) => changeOf(root, change)).filter((change) => !isSilent(change)));
  }

  /** Takes away and returns those of that kind for which `where` holds, in ascending order of their items. */
  take(kind: NodeKind, did: Change['did'], where: (change: Change) => boolean = () => true): readonly Change[] {
    const taken = [...this.#left].filter((each) => each.kind === kind && each.did === did && where(each));
    for (const each of taken) this.#left.delete(each);
    return taken.sort((one, other) => one.item - other.item);
  }

  has(kind: NodeKind, did: Change['did']): boolean {
    return [...this.#left].some((each) => each.kind === kind && each.did === did);
  }

  /** The changes that are in no statement yet. */
  get rest(): readonly Change[] {
    return [...this.#left];
  }
}

function changeOf(root: string, { path, before, after }: NodeChange): Change {
  const relative = path.slice(root.length + 1);
  const did = before === undefined ? 'created' : after === undefined ? 'removed' : 'written';
  const shared = { did, path: relative, before: before?.value, after: after?.value } as const;
  for (const [kind, pattern] of KINDS) {
    const groups: Readonly<Record<string, string>> | undefined = pattern.exec(relative)?.groups ?? undefined;
    if (pattern.test(relative))
      return { ...shared, kind, item: Number(groups?.['item'] ?? -1), of: groups?.['of'] ?? '' };
  }
  return { ...shared, kind: 'other', item: -1, of: '' };
}

/**
 * True for changes that do not matter to a reader: queueing for a latch, asking for the time, the root and folders that
 * come to be, and writes that only count up a version, which fences others, and the basis of an assignment. The records
 * of begun and interrupted firings show as runs; those of listeners' rounds as calls.
 */
function isSilent({ kind, did }: Change): boolean {
  switch (kind) {
    case 'place-in-a-queue':
    case 'time':
    case 'crash-report':
    case 'presence':
    case 'rounds':
    case 'caller':
    case 'assigned-for':
      return true;
    case 'place-in-the-failover-queue':
      return did === 'removed';
    case 'folder':
    case 'root':
      return did !== 'removed';
    case 'item':
    case 'record':
      return did === 'written';
    default:
      return false;
  }
}
