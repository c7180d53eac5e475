/** The stages of one item on one instance in one run, in their only possible order. */
export type RunStage = 'marked' | 'started' | 'ended' | 'unmarked';

/** One such stage as it was seen. */
export interface RunEvent {
  readonly stage: RunStage;
  readonly job: string;
  readonly instance: string;
  readonly item: number;
  /** Told with `started`: why it runs, if not for the firing of this very instant. */
  readonly cause?: string;
  /**
   * Told with `started` and `ended`: whether the item bears this instance's mark then; `undefined` if the job marks
   * none.
   */
  readonly isMarked?: boolean | undefined;
  /** Told with `ended`. */
  readonly outcome?: 'ok' | 'failed' | 'aborted';
}

/** A statement about an instance and, mostly, items. Those that differ in their items only are joined. */
export interface Statement {
  readonly job: string | undefined;
  readonly before: string;
  readonly items: readonly number[];
  readonly after: string;
  /** True if nothing else depends on it: it may be at any position within its instant, and comes last. */
  readonly isAside?: boolean;
}

export type Entry = RunEvent | Statement;

const ORDER: readonly RunStage[] = ['marked', 'started', 'ended', 'unmarked'];

/**
 * Joins the stages of a run in one statement: an item that is marked, started, ended and unmarked in one instant has
 * *run*. Nothing is left out: a missing stage is named.
 */
export function tellRuns(entries: readonly Entry[]): readonly Statement[] {
  const told: (Statement | RunEvent[])[] = [];
  const open = new Map<string, RunEvent[]>();
  for (const entry of entries) {
    if (!('stage' in entry)) {
      told.push(entry);
      // Statements about these items between the start and the end of their work must stay there.
      for (const [key, run] of open)
        if (run.at(-1)?.stage !== 'marked' && entry.items.some((item) => key.endsWith(` ${item}`))) open.delete(key);
      continue;
    }
    const key = `${entry.job} ${entry.instance} ${entry.item}`;
    const run = open.get(key);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && ORDER.indexOf(entry.stage) > ORDER.indexOf(last.stage)) {
      run.push(entry);
      // The statement about a run is at the begin of its work.
      if (last.stage === 'marked') told.push(...told.splice(told.indexOf(run), 1));
      continue;
    }
    const begun = [entry];
    told.push(begun);
    open.set(key, begun);
  }
  return told.map((each) => (Array.isArray(each) ? describeRun(each) : each));
}

function describeRun(stages: readonly RunEvent[]): Statement {
  const [{ job, instance, item }] = stages as [RunEvent];
  const started = stages.find(({ stage }) => stage === 'started');
  const ended = stages.find(({ stage }) => stage === 'ended');
  const names = stages.map(({ stage }) => stage).join(' ');
  const say = (verb: string, after: readonly string[] = []): Statement => {
    const cause = started?.cause === undefined ? '' : ` (${started.cause})`;
    const unmarked = started?.isMarked === false ? ['although it bears no mark'] : [];
    return {
      job,
      before: `${instance} ${verb}`,
      items: [item],
      after: cause + [...unmarked, ...after].map((text) => `, ${text}`).join(''),
    };
  };
  const isLeftMarked = ended?.isMarked === true && stages.at(-1)?.stage !== 'unmarked';
  const outcome = [
    ended?.outcome === 'failed' ? 'which failed' : ended?.outcome === 'aborted' ? 'which broke off' : '',
    isLeftMarked ? 'still marked' : '',
  ].filter((text) => text !== '');
  const end = ended?.outcome === 'failed' ? 'failed' : ended?.outcome === 'aborted' ? 'broke off' : 'finished';
  if (started !== undefined) return ended === undefined ? say('started') : say('ran', outcome);
  if (ended !== undefined) return say(end, isLeftMarked ? ['still marked'] : []);
  return say(names === 'marked unmarked' ? 'marked and unmarked without running' : names);
}
