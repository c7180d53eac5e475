/**
 * How long an item may run, and how often it is tried again. ElasticJob has nothing like it, so these settings are
 * stored among the properties of the job (`props`), under keys that Java instances leave alone.
 */
import { inEnglish, type Wording, wording } from '../../wording/wording.js';
import { describeValue, withValue } from '../text/describe-value.js';
import { InvalidConfigurationError } from '../errors/errors.js';
import { propertyPath } from '../job/job-name.js';
import { propertyKeyProblem } from './known-properties.js';
import { flattenProps } from './props.js';
import { RUN_WORKER, RUN_WORKER_MEMORY } from './run-properties.js';

/** The limits of each run of an item. */
export interface RunLimits {
  /**
   * How long an item may run, all attempts and the pauses between them together, in milliseconds; `undefined`: without
   * limit.
   */
  readonly timeoutMs: number | undefined;
  /** How often an item that failed is tried again, 0 to 100. */
  readonly maxRetries: number;
  /** The pause before the first retry, in milliseconds; see `JobOptions` for later ones. */
  readonly retryBackoffMs: number;
}

/** The limits as users give them (see `JobOptions`). */
export interface RunLimitOptions {
  readonly timeoutMilliseconds?: number;
  readonly maxRetries?: number;
  readonly retryBackoffMilliseconds?: number;
}

/** The bounds of each setting, which are integers, and the key under which it is stored. */
export const RUN_LIMITS = {
  timeoutMilliseconds: { property: 'run.timeoutMilliseconds', min: 1, max: 2 ** 31 - 1 },
  maxRetries: { property: 'run.maxRetries', min: 0, max: 100 },
  retryBackoffMilliseconds: { property: 'run.retryBackoffMilliseconds', min: 0, max: 86_400_000 },
} as const satisfies Record<keyof RunLimitOptions, RunLimitBounds>;

/** A property with a fault, and the requirement. */
export interface RunPropertyProblem {
  readonly property: string;
  readonly problem: string;
}

interface RunLimitBounds {
  readonly property: string;
  readonly min: number;
  readonly max: number;
}

const DEFAULT_RETRY_BACKOFF_MS = 1_000;

/** All properties that begin with `run.`. */
export const RUN_PROPERTIES: readonly string[] = [
  ...Object.values(RUN_LIMITS).map(({ property }) => property),
  RUN_WORKER,
  RUN_WORKER_MEMORY,
];

const entries = Object.entries(RUN_LIMITS) as readonly [keyof RunLimitOptions, RunLimitBounds][];

/** The properties that store these options. Those that are not set have none. */
export function runLimitProps(options: RunLimitOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.flatMap(([option, { property }]) => {
      const value = options[option];
      return value === undefined ? [] : [[property, String(value)]];
    }),
  );
}

/** @returns the problem with an option that the properties of the same job contradict, or undefined */
export function runLimitConflict(option: keyof RunLimitOptions, value: number, props: unknown): Wording | undefined {
  const flat = flattenProps(props ?? {});
  const { property } = RUN_LIMITS[option];
  const other = 'flat' in flat ? flat.flat.get(property) : undefined;
  if (other === undefined || other === String(value)) return undefined;
  return wording('run-conflict', { property, other: describeValue(other) });
}

/**
 * @param keys the keys of the properties that a user gives; in the registry centre, a later version may have stored
 *   others
 * @returns the problem with a key that begins with `run.` and is unknown, or undefined
 */
export function runPropertyKeyProblem(keys: Iterable<string>): Wording | undefined {
  return propertyKeyProblem(keys, RUN_PROPERTIES);
}

/** @returns the problems with the values of the properties that limit runs */
export function runLimitProblems(props: Readonly<Record<string, string>>): readonly RunPropertyProblem[] {
  return entries.flatMap(([, { property, min, max }]) => {
    const value = props[property];
    if (value === undefined || isIntegerFrom(value, min, max)) return [];
    return [{ property, problem: inEnglish(withValue(wording('integer-from-to', { min, max }), value)) }];
  });
}

/**
 * The limits that a job's properties set.
 * @throws InvalidConfigurationError naming each property with a fault
 */
export function runLimitsOf({ jobName, props }: PropertiesOfJob): RunLimits {
  const faults = runLimitProblems(props).map(
    ({ property, problem }) => `${propertyPath(jobName, property)}: ${problem}`,
  );
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  const numberOf = (option: keyof RunLimitOptions): number | undefined => {
    const value = props[RUN_LIMITS[option].property];
    return value === undefined ? undefined : Number(value);
  };
  return {
    timeoutMs: numberOf('timeoutMilliseconds'),
    maxRetries: numberOf('maxRetries') ?? 0,
    retryBackoffMs: numberOf('retryBackoffMilliseconds') ?? DEFAULT_RETRY_BACKOFF_MS,
  };
}

interface PropertiesOfJob {
  readonly jobName: string;
  readonly props: Readonly<Record<string, string>>;
}

function isIntegerFrom(text: string, min: number, max: number): boolean {
  return /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max;
}
