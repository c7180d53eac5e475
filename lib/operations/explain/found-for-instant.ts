import { type ItemView } from '../../layout/job-view.js';
import { type InstantQuestion, recordedCauses, scheduleCauses, unrecordedCauses } from './instant-causes.js';
import { type Found, type FoundCause, itemsIn, type Question } from './question.js';

/**
 * Explains why items did not run for an instant. The recorded causes come first, then the present ones that held at the
 * instant already, then the present ones that may not have held, and last the gaps of the records. @param now the
 * causes that keep the items from running now
 */
export function foundForInstant(question: InstantQuestion, now: readonly Found[]): readonly Found[] {
  const present = now.map((each) => ({ ...each, holds: heldAlready(each.cause, question) }));
  if (!question.view.exists) return present;
  const schedule = scheduleCauses(question);
  const ofSchedule = schedule.map((cause): Found => ({ cause, items: [], holds: 'then' }));
  if (schedule.length > 0) return schedule[0]?.type === 'still-to-come' ? [...ofSchedule, ...present] : ofSchedule;
  const items = itemsIn(question).flatMap(([item, view]) =>
    view === undefined ? [] : [onRecord(question, item, view)],
  );
  const recorded = items.flatMap((each) => each.recorded);
  const unrecorded = items.flatMap((each) => each.unrecorded);
  const answered = new Set(items.flatMap(({ item, isAnswered }) => (isAnswered ? [item] : [])));
  if (answered.size > 0 && unrecorded.length === 0) return recorded;
  const isOpen = ({ cause, items: [first, ...others] }: Found): boolean =>
    cause.type !== 'free' && !(first !== undefined && others.length === 0 && answered.has(first));
  const open = present.filter(isOpen).map((each) => withMisfireOff(each, question));
  const held = (holds: Found['holds']): readonly Found[] => open.filter((each) => each.holds === holds);
  return [...recorded, ...held('then'), ...held('now'), ...unrecorded];
}

function onRecord(question: InstantQuestion, item: number, view: ItemView) {
  const asFound = (cause: FoundCause): Found => ({ cause, items: [item], holds: 'then' });
  const causes = recordedCauses(question, view);
  const isAnswered = causes.some(isAnswer);
  const others = isAnswered ? [] : unrecordedCauses(question, view);
  return { item, isAnswered, recorded: causes.map(asFound), unrecorded: others.map(asFound) };
}

/** True if the item was begun for the instant, so that no further cause is needed. */
function isAnswer({ type }: FoundCause): boolean {
  return type === 'ran' || type === 'begun' || type === 'begun-and-lost';
}

/** `then` if the present cause is known to have held at the instant already. */
function heldAlready(cause: FoundCause, { instant }: InstantQuestion): 'then' | 'now' {
  switch (cause.type) {
    case 'still-running':
      return cause.since !== undefined && cause.since.getTime() < instant ? 'then' : 'now';
    case 'item-disabled':
      return cause.record !== undefined && cause.record.at.getTime() <= instant ? 'then' : 'now';
    case 'owner-disabled':
      return cause.server.record !== undefined && cause.server.record.at.getTime() <= instant ? 'then' : 'now';
    default:
      return 'now';
  }
}

/** If `misfire` is off, the firing was dropped because of the run that went on at the instant. */
function withMisfireOff(found: Found, { view }: Question): Found {
  const { cause, holds } = found;
  const isDropped = cause.type === 'still-running' && holds === 'then' && view.config?.misfire === false;
  return isDropped ? { ...found, cause: { type: 'misfire-off', since: cause.since } } : found;
}
