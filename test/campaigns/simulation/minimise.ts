import { type Behaviour, type History, jobOf, type OtherJob, type Step } from './history.js';

/** True if a history shows the fault. */
export type Shows = (history: History) => Promise<boolean>;

/**
 * The smallest history that can be reached from one that shows something, by leaving out steps, instances and items and
 * by making the rest plainer, and that still shows it. Each change alone is tried, so nothing that is left is there by
 * chance.
 */
export async function minimise(history: History, shows: Shows): Promise<History> {
  let smallest = await withoutSteps(history, shows);
  for (let changed = true; changed;) {
    changed = false;
    for (const plainer of plainerThan(smallest)) {
      // One after the other: each starts from the one before.
      if (!(await shows(plainer))) continue;
      smallest = plainer;
      changed = true;
      break;
    }
  }
  return smallest;
}

/** Leaves out steps in ever smaller groups, the later ones first: what comes after the fault goes at once. */
async function withoutSteps(history: History, shows: Shows): Promise<History> {
  let smallest = history;
  for (let size = Math.ceil(history.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = smallest.steps.length - size; from > -size; from -= size) {
      const steps = smallest.steps.filter((_, index) => index < from || index >= from + size);
      const shorter = { ...smallest, steps };
      if (steps.length < smallest.steps.length && (await shows(shorter))) smallest = shorter;
    }
  }
  return smallest;
}

/** Histories that are a little plainer, the greatest gain first. */
function* plainerThan(history: History): Generator<History> {
  const { steps, job, behaviours } = history;
  const names = new Set(steps.flatMap((step) => ('name' in step ? [step.name] : [])));
  for (const name of names)
    yield { ...history, steps: steps.filter((step) => !('name' in step) || step.name !== name) };
  for (const [index] of steps.entries()) yield { ...history, steps: steps.filter((_, other) => other !== index) };
  for (const total of [1, 2, Math.floor(job.shardingTotalCount / 2), job.shardingTotalCount - 1])
    if (total >= 1 && total < job.shardingTotalCount) yield { ...history, job: { ...job, shardingTotalCount: total } };
  if (behaviours.some((behaviour) => behaviour !== 'quick')) {
    yield { ...history, behaviours: [] };
    for (const [item, behaviour] of behaviours.entries())
      if (behaviour !== 'quick') yield { ...history, behaviours: replaced(behaviours, item, 'quick') };
  }
  if (history.slowestMessageMs > 0) yield { ...history, slowestMessageMs: 0 };
  if (history.poolSize !== PLAIN_POOL) yield { ...history, poolSize: PLAIN_POOL };
  if (job.jobShardingStrategyType !== PLAIN_STRATEGY)
    yield { ...history, job: { ...job, jobShardingStrategyType: PLAIN_STRATEGY } };
  if (job.props !== undefined) {
    const { props, ...others } = job;
    yield { ...history, job: others };
    for (const [key] of Object.entries(props))
      yield {
        ...history,
        job: { ...job, props: Object.fromEntries(Object.entries(props).filter(([other]) => other !== key)) },
      };
  }
  yield* withPlainerOthers(history);
  if (job.failover) yield { ...history, job: { ...job, failover: false } };
  if (!job.misfire) yield { ...history, job: { ...job, misfire: true } };
  for (const [index, step] of steps.entries())
    for (const plainer of plainerSteps(step)) yield { ...history, steps: replaced(steps, index, plainer) };
}

/** Leaves out jobs after which no other runs, and makes the others plainer. */
function* withPlainerOthers(history: History): Generator<History> {
  const { others = [], steps } = history;
  for (const other of others) {
    const isUpstream = others.some(({ job: { props = {} } }) => props['graph.after']?.split(',').includes(other.name));
    if (!isUpstream)
      yield {
        ...history,
        others: others.filter((each) => each !== other),
        steps: steps.filter((step) => jobOf(step) !== other.name),
      };
    for (const plainer of plainerJobs(other))
      yield { ...history, others: others.map((each) => (each === other ? plainer : each)) };
  }
}

function* plainerJobs(other: OtherJob): Generator<OtherJob> {
  const { job, behaviours } = other;
  const { shardingTotalCount, props = {} } = job;
  if (behaviours.some((behaviour) => behaviour !== 'quick')) yield { ...other, behaviours: [] };
  for (const [item, behaviour] of behaviours.entries())
    if (behaviour !== 'quick') yield { ...other, behaviours: replaced(behaviours, item, 'quick') };
  if (shardingTotalCount > 1 && props['graph.afterItems'] === undefined)
    yield { ...other, job: { ...job, shardingTotalCount: 1 } };
  if (job.failover) yield { ...other, job: { ...job, failover: false } };
  for (const key of Object.keys(props))
    if (key !== 'graph.after') {
      const { [key]: dropped, ...rest } = props;
      if (dropped !== undefined) yield { ...other, job: { ...job, props: rest } };
    }
}

const PLAIN_POOL = 20;
const PLAIN_STRATEGY = 'AVG_ALLOCATION';

function* plainerSteps(step: Step): Generator<Step> {
  if ('skewMs' in step && step.skewMs !== 0) yield { ...step, skewMs: 0 };
  if (step.type === 'cut' && step.direction !== 'both') yield { ...step, direction: 'both' };
  if (step.type === 'kill-at-write') yield { type: 'kill', name: step.name, atMs: step.atMs };
  if ('ms' in step && step.ms % 1_000 !== 0) yield { ...step, ms: Math.ceil(step.ms / 1_000) * 1_000 };
  if (step.atMs % 100 !== 0) yield { ...step, atMs: Math.round(step.atMs / 100) * 100 };
}

function replaced<T extends Step | Behaviour>(list: readonly T[], index: number, by: T): readonly T[] {
  return list.map((each, other) => (other === index ? by : each));
}
