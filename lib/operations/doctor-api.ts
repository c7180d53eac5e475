import { inEnglish } from '../wording/wording.js';
import { InvalidConfigurationError, JobStateError, RegistryUnavailableError } from '../api/errors/errors.js';
import { describeCause } from '../api/text/describe-cause.js';
import { describeValue, isMap, withValue } from '../api/text/describe-value.js';
import { jobNameProblem } from '../api/job/job-name.js';
import { anything, checkOptions, milliseconds, type OptionRules } from '../api/settings/call-options.js';
import { type OperationContext } from '../api/events/operation-record.js';
import { sleep } from '../async/wait.js';
import { JobPaths } from '../layout/job-paths.js';
import { isInGraph } from '../layout/job-view.js';
import { diagnose } from './doctor/diagnose.js';
import { type Finding, type FindingType, type Severity, type Symptom } from './doctor/finding.js';
import { graphSymptoms } from './doctor/graph-reading.js';
import { clockDifference, openNodes, type RegistryClock, registryClock } from './doctor/namespace-checks.js';
import { serverFindings } from './doctor/server-checks.js';
import { readTrees } from './doctor/tree-reading.js';
import { jobNames, readApart, readJob, type ReadJob, readMoment } from './job-reading.js';
import { changeNodes } from './changes/node-changes.js';
import { CONTEXT_RULES } from './operation-audit.js';
import { AuditedOperations } from './audited-operations.js';

/** The jobs to examine, and the time between the two readings. */
export interface ExamineOptions {
  /** The only job to examine. Default: all jobs of the namespace. */
  readonly jobName?: string;
  /**
   * Problems are checked again after this time, in milliseconds, and reported only if they are still there: healthy
   * jobs also pass through many of these states. Default: 2000.
   */
  readonly settleMs?: number;
}

// The examination itself checks the job.
const EXAMINE_RULES: OptionRules<ExamineOptions> = { jobName: anything, settleMs: milliseconds };

/** The result of an examination. */
export interface Examination {
  /** When the examination began, by the clock of this process. */
  readonly at: Date;
  /** The number of jobs that were examined. */
  readonly jobs: number;
  /** The most severe ones first, then by the name of the job. */
  readonly findings: readonly Finding[];
  /** Parts that could not be examined, as sentences. */
  readonly unknown: readonly string[];
}

/** A job that has to be checked again. */
interface Suspect {
  readonly jobName: string;
  readonly types: ReadonlySet<FindingType>;
}

const NO_REPORT = 'The servers were not examined, as this registry centre has no serverReport().';

const SETTLE_MS = 2_000;
/** The most jobs that are checked again at a time. */
const SUSPECTS_AT_ONCE = 20;

const RANKS: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, notice: 2 };

/** Examines a namespace, and solves problems that have a safe solution: no job need run in this process. */
export class DoctorAPI extends AuditedOperations {
  /**
   * Looks for problems. It writes one node, `systemTime/current` of a job, to read the time of the registry centre, if
   * these credentials allow it.
   * @throws UnknownJobError if a job was named, and there is none of that name
   * @throws RegistryUnavailableError if the registry centre does not answer
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async examine(options: ExamineOptions = {}): Promise<Examination> {
    checkOptions('DoctorAPI.examine()', options, EXAMINE_RULES, { example: "{ jobName: 'syncOrders' }" });
    const { jobName, settleMs = SETTLE_MS } = options;
    const registry = this.registry;
    const at = new Date(this.clock.now());
    const names = jobName === undefined ? await jobNames(registry) : [await this.#known(jobName)];
    const time = await registryClock(registry, names, this.clock);
    const findings: Finding[] = [...clockDifference(time)];
    const unknown: string[] = time.fault === undefined ? [] : [time.fault];
    const servers = await this.#servers();
    findings.push(...servers.findings);
    unknown.push(...servers.unknown);
    const suspects: Suspect[] = [];
    const inGraphs: string[] = [];
    const open: string[] = [];
    await readTrees(registry, names, async (jobs, hidden) => {
      findings.push(...hidden.map(({ jobName: name, fault }) => hiddenJob(name, fault)));
      for (const job of jobs) {
        const types = new Set(this.#diagnose(job, time).map(({ type }) => type));
        if (types.size > 0) suspects.push({ jobName: job.jobName, types });
        if (isInGraph(job.view)) inGraphs.push(job.jobName);
      }
      open.push(...((await registry.openNodes?.(jobs.flatMap(({ nodes }) => [...nodes.keys()]))) ?? []));
    });
    findings.push(...openNodes(open, (path) => registry.fullPath(path)));
    const inGraph = await graphSymptoms(registry, inGraphs, time);
    if (suspects.length + inGraph.length > 0) await sleep(this.clock, settleMs);
    findings.push(...(await this.#confirmed(suspects, time)), ...(await this.#stillThere(inGraph, time)));
    return { at, jobs: names.length, findings: sorted(findings), unknown };
  }

  /**
   * Makes the change that `fix` of a finding describes: only if the problem is still there, and only on nodes that are
   * as they were read.
   * @returns true if the change was made; `false` if the problem is over already
   * @throws JobStateError if there is no safe change for it
   * @throws InvalidConfigurationError if it is no finding, or an option is unknown or of a wrong kind
   */
  async fix(finding: Finding, context: OperationContext = {}): Promise<boolean> {
    const call = 'DoctorAPI.fix()';
    if (!isMap(finding) || typeof finding.type !== 'string')
      throw new InvalidConfigurationError([
        `${call}: needs one of the findings of examine(), got ${describeValue(finding, 'hidden')}`,
      ]);
    checkOptions(call, context, CONTEXT_RULES);
    const { type, jobName, subject, fix } = finding;
    return await this.audit.record({ ...context, operation: 'fix', jobName }, async (changes) => {
      if (fix === undefined || jobName === undefined)
        throw new JobStateError(`This problem (${type}) has no safe change from here: follow the cure of the finding.`);
      const { result } = await changeNodes(this.registry, changes, async () => {
        const job = await readJob(this.registry, jobName);
        const symptoms = [...this.#diagnose(job, {}), ...(await graphSymptoms(this.registry, [jobName], UNTIMED))];
        const found = symptoms.find((each) => each.type === type && each.subject === subject);
        const wanted = found?.changes ?? [];
        return { nodes: job.nodes, wanted, result: wanted.length > 0 };
      });
      return result;
    });
  }

  /** The problems of the servers; a part that they do not report is unknown. */
  async #servers(): Promise<Pick<Examination, 'findings' | 'unknown'>> {
    const { registry } = this;
    if (registry.serverReport === undefined) return { findings: [], unknown: [NO_REPORT] };
    try {
      const report = await registry.serverReport();
      return { findings: serverFindings(report), unknown: report.unknown };
    } catch (error) {
      if (error instanceof RegistryUnavailableError) throw error;
      const fault = `The state of the servers could not be asked for: ${describeCause(error)}`;
      return { findings: [], unknown: [fault] };
    }
  }

  async #known(jobName: string): Promise<string> {
    const problem = jobNameProblem(jobName);
    if (problem !== undefined)
      throw new InvalidConfigurationError([`jobName: the job's name ${inEnglish(withValue(problem, jobName))}`]);
    // Throws if there is no such job; if it may not be read, the examination reports that.
    await readApart([jobName], async () => [await readJob(this.registry, jobName)]);
    return jobName;
  }

  #diagnose(job: ReadJob, { registryTime }: Partial<RegistryClock>): readonly Symptom[] {
    return diagnose({ ...job, registryTime, fullPath: (path) => this.registry.fullPath(path) });
  }

  /** The findings that a second reading confirms, which is of one moment. */
  async #confirmed(suspects: readonly Suspect[], time: RegistryClock): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    for (let start = 0; start < suspects.length; start += SUSPECTS_AT_ONCE) {
      const some = suspects.slice(start, start + SUSPECTS_AT_ONCE);
      // One portion after the other: each job is followed while it is read.
      const found = await Promise.all(some.map((suspect) => this.#lookAgain(suspect, time)));
      findings.push(...found.flat());
    }
    return findings;
  }

  /** The problems of jobs in their graphs that a second reading confirms. */
  async #stillThere(symptoms: readonly Symptom[], time: RegistryClock): Promise<readonly Finding[]> {
    const keys = new Set(symptoms.map(keyOf));
    const jobs = [...new Set(symptoms.flatMap(({ jobName }) => jobName ?? []))];
    const now = await graphSymptoms(this.registry, jobs, time);
    return now.filter((each) => keys.has(keyOf(each))).map(({ changes: _, ...finding }) => finding);
  }

  async #lookAgain({ jobName, types }: Suspect, time: RegistryClock): Promise<readonly Finding[]> {
    const paths = new JobPaths(jobName);
    const mirror = await this.registry.mirror(paths.root);
    try {
      const job = readMoment(mirror.nodes, paths);
      return this.#diagnose(job, time)
        .filter(({ type }) => types.has(type))
        .map(({ changes: _, ...finding }) => finding);
    } finally {
      mirror.close();
    }
  }
}

const UNTIMED = { registryTime: undefined };

const keyOf = ({ type, jobName = '', subject }: Finding): string => JSON.stringify([type, jobName, subject]);

function hiddenJob(jobName: string, fault: string): Finding {
  return {
    ...{ type: 'hidden-job', code: 'hidden-job', values: { fault }, severity: 'warning', jobName, subject: '' },
    fix: undefined,
    sentence: `The job may not be read: ${fault.replace(/\.$/, '')}.`,
    consequence: 'It cannot be examined, operated or run with these credentials.',
    cure: 'Use the credentials (digest) that the job was created with, or give these the right to read its nodes.',
  };
}

function sorted(findings: readonly Finding[]): readonly Finding[] {
  const key = ({ severity, jobName = '', type }: Finding): string => `${RANKS[severity]} ${jobName} ${type}`;
  return [...findings].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
