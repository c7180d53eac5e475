import { idOf, ipOf } from '../support/views.js';
import { type Evidence, type Mark, nameOfId } from './evidence.js';
import { seconds } from './run-book.js';

/** The end of a trigger: its instance has accepted it by removing it, or has not had its answer when a peer removed it. */
export interface Acceptance {
  readonly name: string;
  readonly atMs: number;
  readonly isCertain: boolean;
}

/** How long an instance that had trouble may take until it is as if it had had none. */
const RECOVERY_MS = 20_000;

/** An accepted trigger runs each of the instance's items once; two that meet an instance while it is busy are one. */
export function triggers(evidence: Evidence): readonly string[] {
  if (!evidence.isMonitored({ fromMs: -Infinity, toMs: Infinity })) return [];
  const accepted = acceptances(evidence);
  const byHand = evidence.marks.filter(
    ({ run, isPartial }) => run !== undefined && run.scheduledMs === undefined && !isPartial,
  );
  return [...surplus(byHand, accepted), ...unheard(evidence, byHand, accepted)];
}

/** The ends of all triggers, in their order. */
export function acceptances({ recording, paths }: Evidence): readonly Acceptance[] {
  return recording.commits.flatMap(({ atMs, by, changes }) =>
    changes.flatMap(({ path, before, after }) => {
      const node = paths.parse(path);
      if (node.type !== 'trigger' || before === undefined || after !== undefined) return [];
      const name = nameOfId(node.id);
      return [{ name, atMs, isCertain: name === by }];
    }),
  );
}

function surplus(byHand: readonly Mark[], accepted: readonly Acceptance[]): readonly string[] {
  return byHand.flatMap(({ item, instance, fromMs }, index) => {
    const earlier = byHand.slice(0, index).filter((mark) => mark.item === item && mark.instance === instance).length;
    const asked = accepted.filter(({ name, atMs }) => name === instance && atMs <= fromMs).length;
    const what = `item ${item} ran by hand on ${instance} at ${seconds(fromMs)}`;
    return earlier < asked ? [] : [`${what}, for the ${earlier + 1}. time after ${asked} triggers`];
  });
}

function unheard(evidence: Evidence, byHand: readonly Mark[], accepted: readonly Acceptance[]): readonly string[] {
  const { recording } = evidence;
  return accepted.flatMap(({ name, atMs, isCertain }) => {
    if (!isCertain) return [];
    const isTroubled = recording.played.some(
      (played) => played.name === name && played.atMs >= atMs - RECOVERY_MS && played.step?.type !== 'join',
    );
    if (isTroubled || wasDisabled(evidence, name, atMs)) return [];
    return ownedFor(evidence, name, atMs)
      .filter((item) => !byHand.some((mark) => mark.item === item && mark.instance === name && mark.fromMs >= atMs))
      .map((item) => `${name} accepted a trigger at ${seconds(atMs)} and did not run item ${item}`);
  });
}

/** A disabled server accepts triggers and runs nothing, however long ago an operator disabled it. */
function wasDisabled(evidence: Evidence, name: string, atMs: number): boolean {
  const server = evidence.paths.server(ipOf(name));
  return evidence.ever(server, (value) => value !== 'ENABLED', { fromMs: atMs - 500, toMs: atMs });
}

/** Items that were the instance's, and enabled, from shortly before for as long as it may take to run them. */
function ownedFor(evidence: Evidence, name: string, atMs: number): readonly number[] {
  const { paths, recording } = evidence;
  const window = { fromMs: atMs - 500, toMs: recording.rests[0]?.atMs ?? Infinity };
  const items = evidence.configAt(atMs)?.shardingTotalCount ?? 0;
  return Array.from({ length: items }, (_, item) => item).filter(
    (item) =>
      !evidence.ever(paths.item(item, 'instance'), (value) => value !== idOf(name), window) &&
      !evidence.ever(paths.item(item, 'disabled'), (value) => value !== undefined, window),
  );
}
