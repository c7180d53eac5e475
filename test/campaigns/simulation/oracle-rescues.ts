import { GIVE_UP_AFTER_MS } from '../../../lib/kernel/run/item-deadline.js';
import { ipOf } from '../../support/views.js';
import { type Evidence } from './evidence.js';
import { type Mark } from './marks.js';
import { seconds } from './run-book.js';

/**
 * With failover, a run that is lost is reported, and made again by somebody for the same instant. That this happens no
 * more than once, and to no run that had ended, `doubles` says.
 */
export function lostRuns(evidence: Evidence): readonly string[] {
  return evidence.marks.flatMap((mark) => {
    switch (mark.fate) {
      case 'ended':
      case 'open':
        return [];
      case 'reported':
        // The report of a run that had ended is withdrawn by its own instance, if that is back before a peer takes it
        // over.
        return hasEnded(evidence, mark) || wasRescued(evidence, mark) || mayStayLost(evidence, mark)
          ? []
          : [`${nameOf(mark)} was never rescued`];
      case 'vanished':
      case 'removed':
        return isToBeReported(evidence, mark) ? [`${nameOf(mark)} was not reported: its mark was ${mark.fate}`] : [];
      default:
        return mark.fate satisfies never;
    }
  });
}

function wasRescued({ marksByItem }: Evidence, lost: Mark): boolean {
  return (marksByItem.get(lost.item) ?? []).some(
    ({ isRescue, revision, run, scheduledMs }) =>
      isRescue && revision > lost.revision && (run === undefined || scheduledMs === lost.scheduledMs),
  );
}

/** Failover was switched off, or the item dropped, before anybody could take it over. */
function mayStayLost(evidence: Evidence, { item, toMs }: Mark): boolean {
  const window = { fromMs: toMs, toMs: Infinity };
  return (
    evidence.everConfigured(({ failover, monitorExecution }) => !failover || !monitorExecution, window) ||
    evidence.ever(evidence.paths.item(item), (value) => value === undefined, window)
  );
}

/** True if the run has ended, or an earlier one of the same instant, which a peer took for crashed and made again. */
function hasEnded({ marksByItem }: Evidence, lost: Mark): boolean {
  return (marksByItem.get(lost.item) ?? []).some(
    (mark) => mark.revision <= lost.revision && mark.scheduledMs === lost.scheduledMs && endsByItself(mark),
  );
}

/** True if its code ended without an abort; or if its time limit had passed, which ends it as well. */
function endsByItself({ run }: Mark): boolean {
  return run?.end === 'completed' || run?.end === 'failed' || run?.isTimeUp === true;
}

function isToBeReported(evidence: Evidence, mark: Mark): boolean {
  const { item, instance, fromMs, toMs, run } = mark;
  // Code that goes on after its time is left behind: the item is free again.
  const givenUpMs = run?.isTimeUp === true ? (run.abortedMs ?? Infinity) + GIVE_UP_AFTER_MS : Infinity;
  const hadEnded = endsByItself(mark) && Math.min(run?.endedMs ?? Infinity, givenUpMs) <= toMs;
  const window = { fromMs: fromMs - 1_000, toMs: toMs + 1_000 };
  const isOff = evidence.everConfigured(({ failover, monitorExecution }) => !failover || !monitorExecution, window);
  const server = evidence.paths.server(ipOf(instance));
  const isDisabled = evidence.ever(server, (value) => value !== 'ENABLED', {
    fromMs: toMs - 1_000,
    toMs: toMs + 1_000,
  });
  const isDropped = evidence.ever(evidence.paths.item(item), (value) => value === undefined, { fromMs, toMs });
  return !hadEnded && !isOff && !isDisabled && !isDropped;
}

function nameOf({ item, instance, scheduledMs, fromMs }: Mark): string {
  const what = scheduledMs === undefined ? 'manual' : `for ${seconds(scheduledMs)}`;
  return `the run of item ${item} ${what} on ${instance}, begun at ${seconds(fromMs)},`;
}
