/**
 * Rules about what instances run: no more at once than the pool has places, nothing twice, nothing for a foreign
 * instant.
 */
import { type Evidence, grouped } from './evidence.js';
import { type Run } from './recording.js';
import { fromRanges } from '../../../lib/layout/x-node/item-ranges.js';
import { SLACK_MS } from './interruptions.js';
import { nameOf, seconds } from './run-book.js';
import { START } from './world.js';

/** One instance never runs more items at once than its pool has places, whichever firings they belong to. */
export function crowding({ recording, history: { poolSize } }: Evidence): readonly string[] {
  return [...grouped(recording.runs, ({ instance }) => instance)].flatMap(([instance, runs]) => {
    const running: Run[] = [];
    // An item that is retried has no place in the pool in between.
    for (const run of runs.filter(({ attempts }) => attempts === 1)) {
      // An aborted run does not count: it is about to end.
      const stillRunning = running.filter((other) => endOf(other) > run.begunMs);
      running.splice(0, running.length, ...stillRunning, run);
      if (endOf(run) > run.begunMs && running.length > poolSize)
        return [
          `${instance} runs ${running.length} items at once, its pool has ${poolSize}: ${nameOf(run)} is one more`,
        ];
    }
    return [];
  });
}

function endOf({ endedMs, abortedMs }: Run): number {
  return Math.min(endedMs ?? Infinity, abortedMs ?? Infinity);
}

/** An instance that has run an item to its end for an instant does not run it again for that instant. */
export function ownReruns(evidence: Evidence): readonly string[] {
  return [...evidence.runsByItem.values()].flatMap((runs) => {
    const scheduled = runs.filter(({ scheduledMs }) => scheduledMs !== undefined);
    return [...grouped(scheduled, ({ scheduledMs, instance }) => `${scheduledMs} ${instance}`).values()].flatMap(
      ([first, second]) => {
        if (first === undefined || second === undefined) return [];
        if (first.abortedMs !== undefined && first.end !== 'timed-out') return [];
        const hasEnded = first.end === 'completed' || first.end === 'failed' || first.end === 'timed-out';
        const window = { fromMs: first.begunMs, toMs: second.begunMs };
        if (!hasEnded || !evidence.isMonitored(window) || evidence.isWiped(window)) return [];
        return [`${nameOf(second)} is run again although that instance ended it at ${seconds(first.endedMs ?? 0)}`];
      },
    );
  });
}

/**
 * An item that was dropped and came back is not run for an instant at which it did not exist. Without
 * `monitorExecution` no node says which items a firing is for: an instance that was busy when it came makes up for it
 * with the items that it has then.
 */
export function returnedItems(evidence: Evidence): readonly string[] {
  return evidence.recording.runs.flatMap((run) => {
    const { item, scheduledMs } = run;
    if (scheduledMs === undefined) return [];
    const { leastMs, greatestMs } = evidence.skews;
    const window = { fromMs: scheduledMs - greatestMs - SLACK_MS, toMs: scheduledMs - leastMs + SLACK_MS };
    const isConfigured = evidence.everConfigured(() => true, window);
    if (!isConfigured || evidence.everConfigured(({ shardingTotalCount }) => item < shardingTotalCount, window))
      return [];
    if (!evidence.isMonitored({ ...window, toMs: run.begunMs })) return [];
    // A registry that was wiped does not know which items there were.
    if (evidence.isWiped({ ...window, toMs: run.begunMs })) return [];
    // An item that no assignment had left out when it was chosen was there all the time: no leader has seen the lower
    // number. After that it may have waited for a place in the pool.
    const chosenMs = evidence.marksByItem.get(item)?.find((mark) => mark.run === run)?.fromMs ?? run.begunMs;
    if (!evidence.everLeftOut(item, { ...window, toMs: chosenMs })) return [];
    // An item that has never existed before is run by whatever firing finds it first.
    const existedBefore = evidence.everConfigured(({ shardingTotalCount }) => item < shardingTotalCount, {
      ...{ fromMs: 0, toMs: window.fromMs },
    });
    return existedBefore ? [`${nameOf(run)} is run for an instant at which there was no such item`] : [];
  });
}

/**
 * No instance is taken for a Java peer where there is none. Java peers hold these latches while they make calls and
 * take items over; Node instances use them only beside a Java peer.
 */
export function foreignLatches({ recording }: Evidence): readonly string[] {
  return recording.commits.flatMap(({ atMs, by, changes }) =>
    changes
      .filter(({ path, after }) => after !== undefined && LATCH_OF_JAVA.test(path))
      .map(({ path }) => `${by} waits for ${path} at ${seconds(atMs)}, as if there were a Java peer`),
  );
}

const LATCH_OF_JAVA = /^\/[^/]+\/(?:guarantee\/\w+-latch|leader\/failover\/latch)\/./;

/** No error reaches the end of its process. Warnings on purpose, because the logger fails, are no errors. */
export function unhandled({ recording, history }: Evidence): readonly string[] {
  const hasFailingLogger = history.steps.some(({ type }) => type === 'fail-logger');
  return recording.unhandled.filter((text) => !(hasFailingLogger && text.startsWith(LOGGER_WARNING)));
}

/** How the library begins the warning that a logger has failed. */
const LOGGER_WARNING = 'A logger failed';

/** A firing that the log calls lost, because no instance ran its items, was run by none, neither before nor after. */
export function lostFirings({ recording }: Evidence): readonly string[] {
  const entries = [...recording.logs].flatMap(([name, lines]) => lines.flatMap((line) => lostIn(name, line)));
  return entries.flatMap(({ name, items, fromMs, toMs }) =>
    recording.runs
      .filter(({ item, scheduledMs = NaN }) => items.has(item) && scheduledMs >= fromMs && scheduledMs <= toMs)
      .map((run) => `${name} logs that no instance ran ${nameOf(run)}`),
  );
}

interface LostFirings {
  readonly name: string;
  readonly items: ReadonlySet<number>;
  readonly fromMs: number;
  readonly toMs: number;
}

function lostIn(name: string, line: string): readonly LostFirings[] {
  if (!line.includes('no instance ran')) return [];
  return [...line.matchAll(LOST)].map(([, items, from = '', to = from]) => ({
    ...{ name, items: new Set(fromRanges(items)) },
    fromMs: Date.parse(from) - START,
    toMs: Date.parse(to) - START,
  }));
}

/** `items 0-2,4 at the 3 firings from … to …`, or `items 4 at the firing of …`. */
const LOST = /items (\S+) at the (?:\S+ firings from|firing of) (\S+Z)(?: to (\S+Z))?/g;
