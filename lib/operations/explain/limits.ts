import { type JobView } from '../../layout/job-view.js';
import { type LimitCode } from './codes.js';
import { type Cause, type ExplanationLimit } from './explanation.js';
import { type Question } from './question.js';

/** The facts that would matter to these causes and cannot be known here, as sentences. */
export function limitsOf(
  { instant, past }: Question,
  causes: readonly Cause[],
  view: JobView,
): readonly ExplanationLimit[] {
  const types = new Set(causes.map(({ type }) => type));
  const has = (...some: readonly Cause['type'][]): boolean => some.some((type) => types.has(type));
  const isUnattributed = causes.some(
    (cause) =>
      (cause.type === 'item-disabled' && cause.record === undefined) ||
      (cause.type === 'owner-disabled' && cause.status === 'DISABLED' && cause.server.record === undefined) ||
      (cause.type === 'servers-disabled' && cause.servers.some(({ record }) => record === undefined)),
  );
  const isPast =
    instant !== undefined && view.exists && !has('not-scheduled', 'still-to-come', 'no-schedule', 'runs-after');
  const named = namedTypes(view);
  const limits: readonly (readonly [boolean, LimitCode, string])[] = [
    [has('free') && view.javaPeers.size > 0 && named.length > 0, 'java-types', untold(named)],
    [isUnattributed && past.operations === undefined, 'unattributed', UNATTRIBUTED],
    [isUnattributed && past.operations !== undefined, 'unrecorded', UNRECORDED],
    [isPast && past.executions === undefined, 'untraced', UNTRACED],
    [isPast && past.operations === undefined, 'no-operations', UNOPERATED],
    [isPast && has('begun') && past.executions === undefined, 'unended', UNENDED],
    [isPast && has('ran'), 'no-instants', INSTANTLESS],
    [isPast && view.javaPeers.size > 0, 'java-runs', JAVA],
    [isPast && has('not-begun', 'later-begun', 'changed-hands'), 'frozen', FROZEN],
  ];
  return limits.flatMap(([isTold, code, sentence]) =>
    isTold ? [{ code, sentence, values: code === 'java-types' ? { types: named.join(', ') } : {} }] : [],
  );
}

/**
 * The types that the settings name. An instance may lack one, or be unable to use it; only our instances store that.
 */
function namedTypes({ config }: JobView): readonly string[] {
  if (config === undefined) return [];
  const { jobShardingStrategyType, jobErrorHandlerType, jobExecutorThreadPoolSizeProviderType } = config;
  const single = [jobShardingStrategyType, jobErrorHandlerType, jobExecutorThreadPoolSizeProviderType];
  return [...single, ...config.jobListenerTypes].flatMap((type) => (type === undefined || type === '' ? [] : [type]));
}

const untold = (types: readonly string[]): string =>
  `Java instances do not store whether they have the types that the settings name, and can use them (${types.join(', ')}): their logs say so.`;

const UNATTRIBUTED =
  'The operator who switched it off is not known, as no records of operations are read here: store them with tracing.type: RDB.';
const UNRECORDED =
  'The operator who switched it off is not on record: it was done without these operations, by the setting disabled, or longer ago than records are kept.';
const UNTRACED =
  'Runs of the past are not known, as no trace is read here: the registry centre keeps only the last instant that was begun for each item.';
const UNOPERATED = 'Changes by operators since then are not known, as no records of operations are read here.';
const UNENDED = 'The end of that run is not known without a trace.';
const INSTANTLESS =
  'The trace does not say which instant a run was for: one that begins between two instants may make up for an earlier one, or be triggered.';
const JAVA = 'Runs of Java instances are not known: they keep no record of them in the registry centre.';
const FROZEN =
  'Its instance may have been frozen, cut off or without a session then, or its clock may have been wrong: only its log says so.';
