/**
 * `registry copy`: moves jobs to another registry centre. The order keeps each firing from running twice: the
 * applications are stopped, the jobs are copied, and the applications start with the other registry centre.
 *
 * ```
 *   read the job in one moment ──▶ no instance lives, no run is due? ──▶ write ──▶ read back ──▶ still no instance?
 * ```
 */
import { RegistryRefusedError } from '../../api/errors/errors.js';
import { JobPaths } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { jobNames, readJob, readMoment, type ReadJob } from '../../operations/job-reading.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { counted } from '../change/context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { type Column } from '../terminal/table.js';
import { type PlaceOptions, placesOf } from './copy-places.js';
import { type CopiedJob, copiedJob, livingInstances, unfinishedRuns } from './copied-job.js';
import { verifyJob, writeJob } from './job-writing.js';

/** Options of `registry copy`. */
export interface CopyOptions extends Pick<ChangeOptions, 'yes'>, PlaceOptions {
  /** Names of the jobs to copy. Default: all. */
  readonly job?: readonly string[];
  readonly dryRun?: boolean;
  /** True replaces jobs that the other registry centre has already. */
  readonly overwrite?: boolean;
  /** True also copies jobs with runs that are still due, and leaves these runs behind. */
  readonly leaveUnfinished?: boolean;
}

/** A job, and what becomes of it. */
interface Move {
  readonly job: CopiedJob;
  readonly existing: ReadJob;
  /** The reason why the job must not be copied now, and what to do. */
  readonly problem: string | undefined;
  /** Revision of the copy; `undefined` if it was not made. */
  readonly revision?: number;
}

/** `registry copy`: copies jobs to another registry centre. */
export async function copyRegistry(invocation: Invocation, options: CopyOptions): Promise<ExitCode> {
  const { output } = invocation;
  const { dryRun = false, overwrite = false } = options;
  const { source, target } = placesOf(invocation, options);
  const from = await invocation.registryAt(source);
  const to = await invocation.registryAt(target);
  await refuseSamePlace(from, to);
  const planned = await plan(from, to, options);
  const problems = planned.flatMap(({ problem = [] }) => problem);
  if (!dryRun && problems.length > 0) throw new CommandError(EXIT.state, `${problems.join('\n')}\nNothing was copied.`);
  const replaced = planned.filter(({ existing }) => existing.nodes.has(existing.paths.config));
  if (!dryRun && replaced.length > 0)
    await invocation.confirm(
      `Replace ${counted(replaced.length, 'job')} (${replaced.map(({ job }) => job.jobName).join(', ')}) in ${to.description}?`,
      options,
    );
  const moves: Move[] = [];
  // One after the other: a failure leaves the jobs before it copied as a whole, and those after it untouched.
  for (const move of planned) moves.push(dryRun ? move : await carryOut(from, to, move));
  const json = { from: from.description, to: to.description, dryRun, overwrite, jobs: moves.map(jsonOf) };
  output.list({ rows: moves, columns: COLUMNS, empty: `There is no job in ${from.description}.` }, json);
  for (const note of [...problems, ...notes(moves, to)]) output.note(note);
  return problems.length > 0 ? EXIT.state : EXIT.done;
}

/** @throws CommandError if both are the same namespace of the same registry centre, whatever its address */
async function refuseSamePlace(from: RegistryCenter, to: RegistryCenter): Promise<void> {
  const [one, other] = await Promise.all([from.lineage(), to.lineage()]);
  // Without any node, a place has no identity.
  const isSame = one === undefined ? from.description === to.description : one.id === other?.id;
  if (isSame)
    throw new CommandError(
      EXIT.usage,
      `${from.description} and ${to.description} are the same place. Name another registry centre with --to, or another ` +
        'namespace with --to-namespace.',
    );
}

/** Checks all jobs before the first one is written. */
async function plan(from: RegistryCenter, to: RegistryCenter, options: CopyOptions): Promise<readonly Move[]> {
  const names = options.job ?? (await jobNames(from));
  const found: Move[] = [];
  for (const name of new Set(names)) {
    // One job at a time, whose nodes are read as of one moment.
    const read = await readJob(from, name);
    const existing = await existingJob(to, name);
    found.push({ job: copiedJob(read), existing, problem: problemOf(read, existing, { from, to, options }) });
  }
  return found;
}

/** The job of that name in the other registry centre, if there is one. */
async function existingJob(to: RegistryCenter, jobName: string): Promise<ReadJob> {
  const paths = new JobPaths(jobName);
  const mirror = await to.mirror(paths.root);
  const nodes = new Map(mirror.nodes);
  mirror.close();
  return readMoment(nodes, paths);
}

/** @returns why a job must not be copied, and what to do; `undefined` if it may be */
function problemOf(
  { jobName, view, nodes, paths }: ReadJob,
  existing: ReadJob,
  { from, to, options }: { readonly from: RegistryCenter; readonly to: RegistryCenter; readonly options: CopyOptions },
): string | undefined {
  const { overwrite = false, leaveUnfinished = false } = options;
  if (!nodes.has(paths.config))
    return `Job '${jobName}' has no settings in ${from.description}. Name the jobs to copy with --job, or remove it.`;
  const unfinished = leaveUnfinished ? [] : unfinishedRuns(view);
  if (livingInstances(view).length > 0) return livingProblem(jobName, view, from);
  if (unfinished.length > 0)
    return (
      `Job '${jobName}' has runs that are still due in ${from.description}: ${unfinished.join('; ')}. Start its application ` +
      'there until they have run, or leave them behind with --leave-unfinished.'
    );
  if (livingInstances(existing.view).length > 0) return livingProblem(jobName, existing.view, to);
  if (existing.nodes.has(paths.config) && !overwrite)
    return `${to.description} has a job '${jobName}' already. Leave it out (--job), or replace it with --overwrite.`;
  return undefined;
}

function livingProblem(jobName: string, view: JobView, { description }: RegistryCenter): string {
  const living = livingInstances(view);
  return (
    `Job '${jobName}' has ${counted(living.length, 'living instance')} in ${description}: ${living.join(', ')}. Stop all ` +
    'applications that have it; one that was killed is gone when its session timeout has passed.'
  );
}

async function carryOut(from: RegistryCenter, to: RegistryCenter, move: Move): Promise<Move> {
  const { job, existing } = move;
  const revision = await writeJob(to, job, existing.nodes).catch((error: unknown) => {
    if (!(error instanceof RegistryRefusedError)) throw error;
    throw new CommandError(EXIT.state, `Job '${job.jobName}' cannot be kept there. ${error.message}`, { cause: error });
  });
  await verifyJob(to, job);
  const { view } = await readJob(from, job.jobName);
  if (livingInstances(view).length > 0)
    throw new CommandError(
      EXIT.state,
      `Job '${job.jobName}' was copied, but an application has started meanwhile. ${livingProblem(job.jobName, view, from)} ` +
        'Then copy again with --overwrite.',
    );
  return { ...move, revision };
}

const COLUMNS: readonly Column<Move>[] = [
  { title: 'JOB', text: ({ job }) => job.jobName },
  { title: 'COPY', text: outcomeOf, tone: ({ problem }) => (problem === undefined ? undefined : 'bad') },
  { title: 'DISABLED SERVERS', text: ({ job }) => job.disabledServers.join(', ') },
  { title: 'DISABLED ITEMS', text: ({ job }) => job.disabledItems.join(', ') },
  { title: 'BEGIN RECORDS', text: ({ job }) => String(job.beginRecords), align: 'right' },
];

function outcomeOf({ problem, revision }: Move): string {
  if (problem !== undefined) return 'not possible now';
  return revision === undefined ? 'would be copied' : 'copied';
}

function jsonOf(move: Move): object {
  const { jobName, disabledServers, disabledItems, beginRecords, nodes } = move.job;
  const { problem, revision } = move;
  const replaces = move.existing.nodes.has(move.existing.paths.config);
  return {
    ...{ jobName, outcome: outcomeOf(move), replaces, disabledServers, disabledItems, beginRecords, nodes: nodes.size },
    ...(problem !== undefined && { problem }),
    ...(revision !== undefined && { revision }),
  };
}

function notes(moves: readonly Move[], to: RegistryCenter): readonly string[] {
  const made = moves.filter(({ revision }) => revision !== undefined);
  if (made.length === 0) return [];
  const lower = made.filter(({ job, revision = 0 }) => revision <= job.revision).map(({ job }) => job.jobName);
  const restart = `Now start the applications with ${to.description}, and not with the former registry centre any more.`;
  return lower.length === 0
    ? [restart]
    : [
        restart,
        `Fencing tokens of ${lower.join(', ')} start lower there than they were: reset the tokens that your data hold.`,
      ];
}
