import { type Clock } from '../../../lib/time/clock.js';
import { type Entry, type Statement, tellRuns } from './run-words.js';

const WIDTH = 116;
const MIDNIGHT = Date.parse('2030-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

/** An event at one instant, or a note that a scenario shows. */
interface Told {
  readonly instant: number | undefined;
  readonly lines: readonly string[];
  readonly text: string;
}

/** Records the events in their order, and puts them into words. */
export class Chronicle {
  readonly #clock: Clock;
  readonly #told: Told[] = [];
  #entries: Entry[] = [];
  #instant: number | undefined;
  /** True if statements name the job they are about. */
  namesJobs = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(entry: Entry): void {
    const now = this.#clock.now();
    if (now !== this.#instant) this.#close();
    this.#instant = now;
    this.#entries.push(entry);
  }

  /** Notes something that is of no job. */
  say(text: string): void {
    this.note({ job: undefined, before: text, items: [], after: '' });
  }

  /** Adds a line that somebody asked for, and that nothing is joined with. */
  show(line: string): void {
    this.#close();
    this.#told.push({ instant: undefined, lines: [line], text: line });
  }

  /** From here on nothing is joined with what was noted before. */
  pause(): void {
    this.#close();
  }

  /** All that was noted since the last call. */
  take(): readonly string[] {
    this.#close();
    const told = this.#told.splice(0);
    return told.length === 0 ? ['nothing happened'] : shortened(told);
  }

  #close(): void {
    if (this.#entries.length === 0 || this.#instant === undefined) return;
    const statements = joined(ordered(tellRuns(this.#entries))).map((statement) => this.#text(statement));
    const lines = wrapped(`${timeOf(this.#instant)}  `, statements);
    this.#told.push({ instant: this.#instant, lines, text: statements.join(' · ') });
    this.#entries = [];
  }

  #text({ job, before, items, after }: Statement): string {
    const about = this.namesJobs && job !== undefined ? `${job}: ` : '';
    return `${about}${before}${items.map((item) => ` ${item}`).join('')}${after}`;
  }
}

/** Repeated statements at the same distance become one, with its first and last instant. */
function shortened(told: readonly Told[]): readonly string[] {
  const lines: string[] = [];
  for (let index = 0; index < told.length;) {
    const times = repetitions(told, index);
    const [first, last] = [told[index], told[index + times - 1]];
    if (times < 4 || first?.instant === undefined || last?.instant === undefined)
      lines.push(...(told[index++]?.lines ?? []));
    else {
      const every = (last.instant - first.instant) / (times - 1) / 1_000;
      lines.push(
        `${timeOf(first.instant)}  to ${timeOf(last.instant)}, every ${every} s, ${times} times: ${first.text}`,
      );
      index += times;
    }
  }
  return lines;
}

/** The number of repetitions of the statement at `from` without a change, itself included. */
function repetitions(told: readonly Told[], from: number): number {
  const [first, second] = [told[from], told[from + 1]];
  if (first?.instant === undefined || second?.instant === undefined) return 1;
  const distance = second.instant - first.instant;
  if (distance === 0) return 1;
  let times = 1;
  for (
    let next = told[from + 1];
    next?.text === first.text && next.instant === first.instant + times * distance;
    next = told[from + times]
  )
    times++;
  return times;
}

/** `00:00:05`, `00:00:05.250`, `day 2 00:00:00`. */
export function timeOf(ms: number): string {
  const day = Math.floor((ms - MIDNIGHT) / DAY_MS);
  const text = new Date(ms).toISOString().slice(11, 23).replace('.000', '');
  return day === 0 ? text : `day ${day + 1} ${text}`;
}

/**
 * In one order, whichever of several independent things happened first by chance: the same act of several instances by
 * their names, and asides last.
 */
function ordered(statements: readonly Statement[]): readonly Statement[] {
  const acts: Statement[][] = [];
  for (const statement of statements.filter(({ isAside }) => isAside !== true)) {
    const last = acts.at(-1);
    if (last?.[0] !== undefined && actOf(last[0]) === actOf(statement)) last.push(statement);
    else acts.push([statement]);
  }
  const asides = statements.filter(({ isAside }) => isAside === true);
  return [...acts, asides].flatMap((same) => same.toSorted((a, b) => a.before.localeCompare(b.before)));
}

/** The act, without the name of its instance. */
const actOf = ({ job, before, after }: Statement): string => `${job} ${before.replace(/^\S+ /, '')}${after}`;

/** Statements that differ in their items only, and follow each other, as one. */
function joined(statements: readonly Statement[]): readonly Statement[] {
  const result: Statement[] = [];
  for (const statement of statements) {
    const last = result.at(-1);
    const isSame =
      last !== undefined &&
      statement.items.length > 0 &&
      last.items.length > 0 &&
      last.job === statement.job &&
      last.before === statement.before &&
      last.after === statement.after &&
      // The same item twice is two things that happened.
      !statement.items.some((item) => last.items.includes(item));
    if (isSame)
      result[result.length - 1] = { ...last, items: [...last.items, ...statement.items].sort((a, b) => a - b) };
    else result.push(statement);
  }
  return result;
}

function wrapped(head: string, texts: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let line = head;
  for (const [index, text] of texts.entries()) {
    const piece = index === 0 ? text : ` · ${text}`;
    if (index > 0 && line.length + piece.length > WIDTH) {
      lines.push(line);
      line = `${' '.repeat(head.length)}${text}`;
    } else line += piece;
  }
  return [...lines, line];
}
