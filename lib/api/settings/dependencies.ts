/**
 * The jobs after which a job runs. ElasticJob has nothing like it, so these settings are stored among the properties of
 * the job (`props`), under keys that Java instances leave alone.
 */
import { inEnglish, type Wording, wording } from '../../wording/wording.js';
import { withValue } from '../text/describe-value.js';
import { InvalidConfigurationError } from '../errors/errors.js';
import { jobNameProblem, propertyPath } from '../job/job-name.js';
import { type RunPropertyProblem } from './run-limits.js';

/** A problem with the value of a property that stores a dependency. */
export interface DependencyProblem extends RunPropertyProblem {
  readonly wording: Wording;
}

/** The upstream jobs of a job, and the rules by which it follows them. */
export interface Dependencies {
  /** Names of the upstream jobs, each once; at least one. */
  readonly after: readonly string[];
  /**
   * `all`: an item is due when the upstream rounds are complete. `same`: when the upstream items of its number have
   * ended.
   */
  readonly items: 'all' | 'same';
  /**
   * `same`: a round is due when each upstream job has completed its round of the same instant. `latest`: when each has
   * completed one of that instant or a later one.
   */
  readonly match: 'same' | 'latest';
  /**
   * Effect of an upstream round that has failed or was stopped. `stop`: no run, and the round of this job counts as
   * stopped. `run`: the job runs all the same. `skip`: no run, and the round counts as skipped, which is no failure.
   */
  readonly failure: 'stop' | 'run' | 'skip';
  /** Rounds that come while the job is busy. `latest`: one run makes up for them all. `every`: each is run, in order. */
  readonly rounds: 'latest' | 'every';
}

/** The properties that store dependencies, and the values that they may have; the first one is the default. */
export const DEPENDENCY_PROPERTIES = {
  after: 'graph.after',
  items: 'graph.afterItems',
  match: 'graph.afterMatch',
  failure: 'graph.afterFailure',
  rounds: 'graph.afterRounds',
} as const satisfies Record<keyof Dependencies, string>;

/** The properties that store the name of a job's graph, and the time limit for its rounds. */
export const GRAPH_NAME = 'graph.name';
export const GRAPH_TIMEOUT = 'graph.timeoutMilliseconds';

/** All properties that begin with `graph.`. */
export const GRAPH_PROPERTIES: readonly string[] = [...Object.values(DEPENDENCY_PROPERTIES), GRAPH_NAME, GRAPH_TIMEOUT];

/** The rules by which a job follows its upstream jobs. */
export type Choice = Exclude<keyof Dependencies, 'after'>;

/** The values that each rule may have; the first one is the default. */
export const CHOICES: { readonly [Key in Choice]: readonly [Dependencies[Key], ...Dependencies[Key][]] } = {
  items: ['all', 'same'],
  match: ['same', 'latest'],
  failure: ['stop', 'run', 'skip'],
  rounds: ['latest', 'every'],
};

/** The names of the rules. */
export const choices = Object.keys(CHOICES) as readonly Choice[];

type Properties = Readonly<Record<string, string>>;

/**
 * The dependencies that a job's properties set; `undefined` if the job depends on none, or if `dependencyProblems`
 * finds a fault.
 */
export function dependenciesOf({ props }: { readonly props: Properties }): Dependencies | undefined {
  const text = props[DEPENDENCY_PROPERTIES.after];
  if (text === undefined || dependencyProblems(props).length > 0) return undefined;
  return {
    after: namesIn(text) ?? [],
    items: chosen('items', props),
    match: chosen('match', props),
    failure: chosen('failure', props),
    rounds: chosen('rounds', props),
  };
}

/** The name of its graph that the job's properties set; `undefined` if they set none, or none that can be used. */
export function graphNameOf({ props }: { readonly props: Properties }): string | undefined {
  const name = props[GRAPH_NAME];
  return name === undefined || jobNameProblem(name) !== undefined ? undefined : name;
}

/** The most milliseconds that a round of the graph may take, as the job's properties set it; `undefined`: no limit. */
export function graphTimeoutOf({ props }: { readonly props: Properties }): number | undefined {
  const text = props[GRAPH_TIMEOUT];
  return text !== undefined && POSITIVE.test(text) ? Number(text) : undefined;
}

const POSITIVE = /^[1-9]\d{0,14}$/;

/** True if the job fires by itself: by a cron expression, or after other jobs. */
export function isScheduled(job: { readonly cron?: string; readonly props: Properties }): boolean {
  return job.cron !== undefined || dependenciesOf(job) !== undefined;
}

function chosen<Key extends Choice>(key: Key, props: Properties): Dependencies[Key] {
  const known = CHOICES[key];
  const value = props[DEPENDENCY_PROPERTIES[key]];
  return known.find((each) => each === value) ?? known[0];
}

/** @returns the problems with the values of the properties that store dependencies */
export function dependencyProblems(props: Properties): readonly DependencyProblem[] {
  const { after } = DEPENDENCY_PROPERTIES;
  const text = props[after];
  const names = text === undefined ? undefined : namesIn(text);
  const listProblems =
    text === undefined || (names !== undefined && names.length > 0 && !names.some(jobNameProblem))
      ? []
      : [dependencyProblem(after, withValue(wording('text-list'), text))];
  const choiceProblems = choices.flatMap((key) => {
    const property = DEPENDENCY_PROPERTIES[key];
    const value = props[property];
    const known: readonly string[] = CHOICES[key];
    if (value === undefined || known.includes(value)) return [];
    return [dependencyProblem(property, withValue(wording('one-of', { words: known.join(', ') }), value))];
  });
  return [...listProblems, ...choiceProblems, ...graphProblems(props)];
}

function graphProblems(props: Properties): readonly DependencyProblem[] {
  const { [GRAPH_NAME]: name, [GRAPH_TIMEOUT]: timeout } = props;
  const nameProblem = name === undefined ? undefined : jobNameProblem(name);
  return [
    ...(nameProblem === undefined ? [] : [dependencyProblem(GRAPH_NAME, withValue(nameProblem, name))]),
    ...(timeout === undefined || POSITIVE.test(timeout)
      ? []
      : [dependencyProblem(GRAPH_TIMEOUT, withValue(wording('integer-min', { min: 1 }), timeout))]),
  ];
}

function dependencyProblem(property: string, problem: Wording): DependencyProblem {
  return { property, problem: inEnglish(problem), wording: problem };
}

/** @throws InvalidConfigurationError naming each property that stores dependencies and has a fault */
export function requireDependencies({
  jobName,
  props,
}: {
  readonly jobName: string;
  readonly props: Properties;
}): void {
  const faults = dependencyProblems(props).map(
    ({ property, problem }) => `${propertyPath(jobName, property)}: ${problem}`,
  );
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
}

/** The text that stores names of jobs: `importA,importB`, or JSON if a name has a comma. */
export function namesText(names: readonly string[]): string {
  const isPlain = names.every((name) => !name.includes(',')) && names[0]?.startsWith('[') !== true;
  return isPlain ? names.join(',') : JSON.stringify(names);
}

/** The inverse of `namesText`, each name once. @returns `undefined` if it is no list of names */
export function namesIn(text: string): readonly string[] | undefined {
  const names = text.startsWith('[') ? listIn(text) : text.split(',').map((name) => name.trim());
  return names === undefined || names.includes('') ? undefined : [...new Set(names)];
}

function listIn(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}
