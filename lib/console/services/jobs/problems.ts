import { describeCause } from '../../../api/text/describe-cause.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { abortable } from '../../../async/wait.js';
import { commandLine } from '../../../operations/command-line.js';
import { DoctorAPI } from '../../../operations/doctor-api.js';
import { type Finding, type Severity } from '../../../operations/doctor/finding.js';
import { type Clock } from '../../../time/clock.js';
import { type ProblemRow } from '../../contract/jobs.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';

/** The least milliseconds between two examinations by the doctor; more if an examination takes long. */
const FRESH_MS = 30_000;

/** The pause after an examination is this many times as long as the examination. */
const REST = 10;

/** The most milliseconds that pages wait for the first examination. Later pages show the last findings at once. */
const FIRST_MS = 4_000;

/** The most findings that a page shows. */
const MOST = 200;

const SEVERITIES: Readonly<Record<Severity, ProblemRow['severity']>> = {
  critical: 'error',
  warning: 'warning',
  notice: 'info',
};

interface Known {
  /** `undefined` until an examination has succeeded. */
  rows: readonly ProblemRow[] | undefined;
  /** The start of the running examination, by the monotonic clock. */
  begunAt: number;
  /** By the monotonic clock. */
  freshUntil: number;
  running: Promise<void> | undefined;
}

/** The findings of the doctor, remembered so that pages do not load the registry centre. */
export class Problems {
  readonly #known = new WeakMap<ConsoleRegistry, Known>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: JobLogger,
  ) {}

  /** The findings of the latest examination, the most severe ones first; `undefined` as long as none has succeeded. */
  async of(registry: ConsoleRegistry): Promise<readonly ProblemRow[] | undefined> {
    const known = this.#known.get(registry) ?? {
      ...{ rows: undefined, begunAt: -Infinity, freshUntil: -Infinity, running: undefined },
    };
    this.#known.set(registry, known);
    if (!registry.isConnected) return known.rows;
    if (known.freshUntil < this.clock.monotonic())
      known.running ??= this.#examine(registry, known).finally(() => (known.running = undefined));
    const leftMs = known.begunAt + FIRST_MS - this.clock.monotonic();
    if (known.rows === undefined && known.running !== undefined && leftMs > 0)
      await this.#atMost(known.running, leftMs);
    return known.rows;
  }

  async #examine(registry: ConsoleRegistry, known: Known): Promise<void> {
    const began = (known.begunAt = this.clock.monotonic());
    try {
      const { findings } = await new DoctorAPI(registry.center, { clock: this.clock }).examine();
      known.rows = serversTogether(findings).slice(0, MOST).map(problemRow);
    } catch (error) {
      this.logger.warn(`The console could not examine registry centre '${registry.name}': ${describeCause(error)}`);
    }
    const end = this.clock.monotonic();
    known.freshUntil = end + Math.max(FRESH_MS, REST * (end - began));
  }

  async #atMost(running: Promise<void>, limitMs: number): Promise<void> {
    const waiting = new AbortController();
    const cancel = this.clock.after(limitMs, () => waiting.abort());
    await abortable(running, waiting.signal).catch(() => undefined);
    cancel();
  }
}

/** Joins the findings about an offline server: it is one problem for any number of jobs. */
function serversTogether(findings: readonly Finding[]): readonly Finding[] {
  const servers = new Map<string, string[]>();
  const kept = findings.filter(({ type, subject, jobName }) => {
    if (type !== 'offline-server' || jobName === undefined) return true;
    const jobs = servers.get(subject);
    if (jobs === undefined) servers.set(subject, [jobName]);
    else jobs.push(jobName);
    return jobs === undefined;
  });
  return kept.map((finding) => {
    const jobs = finding.type === 'offline-server' ? (servers.get(finding.subject) ?? []) : [];
    if (jobs.length < 2) return finding;
    const names = jobs.slice(0, MOST_NAMES).join(', ') + (jobs.length > MOST_NAMES ? ', …' : '');
    return {
      ...finding,
      jobName: undefined,
      code: 'offline-server.many' as const,
      values: { ...finding.values, count: jobs.length, jobs: names },
      command: commandLine('prune'),
      sentence: `The server ${finding.subject} has no living instance of ${jobs.length} jobs that list it: ${names}.`,
    };
  });
}

const MOST_NAMES = 5;

function problemRow(finding: Finding): ProblemRow {
  const { type, code, values, severity, jobName, subject, sentence, consequence, cure, command } = finding;
  return {
    ...{ type, code, values },
    severity: SEVERITIES[severity],
    ...(jobName !== undefined && { jobName }),
    subject: subject === '' ? sentence : `${subject}: ${sentence}`,
    consequence,
    cure,
    ...(command !== undefined && { command }),
  };
}
