/**
 * `registry copy`: moves jobs to another registry centre. The order keeps each firing from running twice: the
 * applications are stopped, the jobs are copied, and the applications start with the other registry centre.
 *
 * ```
 *   read the job in one moment ──▶ no instance lives, no run is due? ──▶ confirmed? ──▶ still so, and unchanged? ──▶ write
 *                                                                     still so, and unchanged? ◀── read back ◀────────┘
 * ```
 */
import { RegistryRefusedError } from '../../api/errors/errors.js';
import { type OperationRecord } from '../../api/events/operation-record.js';
import { JobPaths } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { jobNames, readJob, readMoment, type ReadJob } from '../../operations/job-reading.js';
import { OperationAudit } from '../../operations/operation-audit.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { contextOf, counted } from '../change/context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { type Column } from '../terminal/table.js';
import { type PlaceOptions, placesOf } from './copy-places.js';
import { type CopyTarget, openTarget } from './copy-target.js';
import { type CopiedJob, copiedJob, differentPaths, livingInstances, unfinishedRuns } from './copied-job.js';
import { verifyJob, writeJob, type Written } from './job-writing.js';

/** Options of `registry copy`. */
export interface CopyOptions extends Pick<ChangeOptions, 'yes' | 'reason'>, PlaceOptions {
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
  /** The copy; `undefined` if it was not made. */
  readonly written?: Written;
  /** The record of the operation; `undefined` if nothing was copied. */
  readonly record?: OperationRecord | undefined;
}

/** `registry copy`: copies jobs to another registry centre. */
export async function copyRegistry(invocation: Invocation, options: CopyOptions): Promise<ExitCode> {
  const { output } = invocation;
  const { dryRun = false, overwrite = false } = options;
  const { source, target } = placesOf(invocation, options);
  const from = await invocation.registryAt(source);
  const { to, isBlank } = await openTarget(invocation, target, { dryRun });
  if (!isBlank) await refuseSamePlace(from, to);
  const places = { from, to, isBlank, options };
  const planned = await plan(places);
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
  for (const move of planned) moves.push(dryRun ? move : await recorded(move, places, invocation));
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
async function plan(places: Places): Promise<readonly Move[]> {
  const { from, to, isBlank, options } = places;
  const names = options.job ?? (await jobNames(from));
  const found: Move[] = [];
  for (const name of new Set(names)) {
    // One job at a time, whose nodes are read as of one moment.
    const read = await readJob(from, name);
    const existing = isBlank ? readMoment(new Map(), new JobPaths(name)) : await jobIn(to, name);
    found.push({ job: copiedJob(read), existing, problem: problemOf(read, places) ?? targetProblem(existing, places) });
  }
  return found;
}

/** A job as of now, also if the registry centre has none of that name. */
async function jobIn(registry: RegistryCenter, jobName: string): Promise<ReadJob> {
  const paths = new JobPaths(jobName);
  const mirror = await registry.mirror(paths.root);
  try {
    await mirror.sync();
    return readMoment(new Map(mirror.nodes), paths);
  } finally {
    mirror.close();
  }
}

/** Both registry centres, and the options of the copy. */
interface Places extends CopyTarget {
  readonly from: RegistryCenter;
  readonly options: CopyOptions;
}

/** @returns why a job must not be copied from where it is, and what to do; `undefined` if it may be */
function problemOf({ jobName, view, nodes, paths }: ReadJob, { from, options }: Places): string | undefined {
  if (!nodes.has(paths.config))
    return `Job '${jobName}' has no settings in ${from.description}. Name the jobs to copy with --job, or remove it.`;
  if (livingInstances(view).length > 0) return livingProblem(jobName, view, from);
  const unfinished = options.leaveUnfinished === true ? [] : unfinishedRuns(view);
  if (unfinished.length > 0)
    return (
      `Job '${jobName}' has runs that are still due in ${from.description}: ${unfinished.join('; ')}. Start its application ` +
      'there until they have run, or leave them behind with --leave-unfinished.'
    );
  return undefined;
}

/** @returns why a job must not be copied over the one in the other registry centre; `undefined` if it may be */
function targetProblem({ jobName, view, nodes, paths }: ReadJob, { to, options }: Places): string | undefined {
  if (livingInstances(view).length > 0) return livingProblem(jobName, view, to);
  if (nodes.has(paths.config) && options.overwrite !== true)
    return `${to.description} has a job '${jobName}' already. Leave it out (--job), or replace it with --overwrite.`;
  return undefined;
}

/** @returns the problem of a job that is not as it was planned any more; `undefined` if it is */
async function changeOf({ job }: Move, places: Places): Promise<string | undefined> {
  const { from } = places;
  const read = await jobIn(from, job.jobName);
  const different = differentPaths(job, copiedJob(read));
  return (
    problemOf(read, places) ??
    (different.length === 0
      ? undefined
      : `Job '${job.jobName}' was changed in ${from.description} after it was read: ${different.join(', ')}.`)
  );
}

function livingProblem(jobName: string, view: JobView, { description }: RegistryCenter): string {
  const living = livingInstances(view);
  return (
    `Job '${jobName}' has ${counted(living.length, 'living instance')} in ${description}: ${living.join(', ')}. Stop all ` +
    'applications that have it; one that was killed is gone when its session timeout has passed.'
  );
}

/** Carries out a move as an operation on the other registry centre, which leaves a record. */
async function recorded(move: Move, places: Places, invocation: Invocation): Promise<Move> {
  const { jobName, config, nodes } = move.job;
  const target = { operation: 'copy-job', jobName, ...contextOf(places.options) } as const;
  const made = await new OperationAudit(invocation.operations).record(target, async (changes) => {
    const done = await carryOut(move, places);
    changes.note(config, move.existing.nodes.get(config)?.value, nodes.get(config));
    return done;
  });
  return { ...made, record: invocation.record };
}

async function carryOut(move: Move, places: Places): Promise<Move> {
  const { job, existing } = move;
  const { to } = places;
  const before = (await changeOf(move, places)) ?? targetProblem(await jobIn(to, job.jobName), places);
  if (before !== undefined) throw new CommandError(EXIT.state, `${before}\nJob '${job.jobName}' was not copied.`);
  const written = await writeJob(to, job, existing.nodes).catch((error: unknown) => {
    if (!(error instanceof RegistryRefusedError)) throw error;
    throw new CommandError(EXIT.state, `Job '${job.jobName}' cannot be kept there. ${error.message}`, { cause: error });
  });
  await verifyJob(to, job);
  const after = await changeOf(move, places);
  if (after !== undefined)
    throw new CommandError(
      EXIT.state,
      `Job '${job.jobName}' was copied, but has changed meanwhile. ${after}\nCopy it again with --overwrite.`,
    );
  return { ...move, written };
}

const COLUMNS: readonly Column<Move>[] = [
  { title: 'JOB', text: ({ job }) => job.jobName },
  { title: 'COPY', text: outcomeOf, tone: ({ problem }) => (problem === undefined ? undefined : 'bad') },
  { title: 'DISABLED SERVERS', text: ({ job }) => job.disabledServers.join(', ') },
  { title: 'DISABLED ITEMS', text: ({ job }) => job.disabledItems.join(', ') },
  { title: 'BEGIN RECORDS', text: ({ job }) => String(job.beginRecords), align: 'right' },
];

function outcomeOf({ problem, written }: Move): string {
  if (problem !== undefined) return 'not possible now';
  return written === undefined ? 'would be copied' : 'copied';
}

function jsonOf(move: Move): object {
  const { jobName, disabledServers, disabledItems, beginRecords, nodes } = move.job;
  const { problem, written, record } = move;
  const replaces = move.existing.nodes.has(move.existing.paths.config);
  return {
    ...{ jobName, outcome: outcomeOf(move), replaces, disabledServers, disabledItems, beginRecords, nodes: nodes.size },
    ...(problem !== undefined && { problem }),
    ...(written !== undefined && { revision: written.revision, record }),
  };
}

function notes(moves: readonly Move[], to: RegistryCenter): readonly string[] {
  const made = moves.flatMap(({ job, existing, written }) => (written ? [{ job, existing, ...written }] : []));
  if (made.length === 0) return [];
  const lower = made.filter(({ job, revision }) => revision <= job.revision).map(({ job }) => job.jobName);
  const absent = made.filter(({ job, existing, commits }) => commits > 1 && existing.nodes.has(job.config));
  const restart = `Now start the applications with ${to.description}, and not with the former registry centre any more.`;
  return [
    restart,
    ...(lower.length === 0
      ? []
      : [
          `Fencing tokens of ${lower.join(', ')} start lower there than they were: reset the tokens that your data hold.`,
        ]),
    ...absent.map(
      ({ job, commits }) =>
        `Job '${job.jobName}' needed ${commits} commits: between the first and the last one, ${to.description} had no such job.`,
    ),
  ];
}
