/** The jobs after which a job runs, as users give them: options that are stored as the properties of `Dependencies`. */
import { type Wording, wording } from '../../wording/wording.js';
import { describeValue } from '../text/describe-value.js';
import { jobNameProblem } from '../job/job-name.js';
import {
  type Choice,
  choices,
  CHOICES,
  type Dependencies,
  DEPENDENCY_PROPERTIES,
  GRAPH_NAME,
  GRAPH_PROPERTIES,
  GRAPH_TIMEOUT,
  namesIn,
  namesText,
} from './dependencies.js';
import { propertyKeyProblem } from './known-properties.js';
import { flattenProps } from './props.js';

/** The dependencies as users give them (see `JobOptions`). */
export interface DependencyOptions {
  readonly after?: string | readonly string[];
  readonly afterItems?: Dependencies['items'];
  readonly afterMatch?: Dependencies['match'];
  readonly afterFailure?: Dependencies['failure'];
  readonly afterRounds?: Dependencies['rounds'];
  readonly graph?: string;
  readonly graphTimeoutMilliseconds?: number;
}

/** The option that sets each rule by which a job follows its upstream jobs. */
const CHOICE_OPTIONS = {
  items: 'afterItems',
  match: 'afterMatch',
  failure: 'afterFailure',
  rounds: 'afterRounds',
} as const satisfies Record<Choice, keyof DependencyOptions>;

/** An option that sets a rule by which a job follows its upstream jobs. */
export type DependencyChoice = (typeof CHOICE_OPTIONS)[Choice];

/** By option: the property that stores it. */
export const DEPENDENCY_OPTIONS: Readonly<Record<keyof DependencyOptions, string>> = {
  after: DEPENDENCY_PROPERTIES.after,
  afterItems: DEPENDENCY_PROPERTIES.items,
  afterMatch: DEPENDENCY_PROPERTIES.match,
  afterFailure: DEPENDENCY_PROPERTIES.failure,
  afterRounds: DEPENDENCY_PROPERTIES.rounds,
  graph: GRAPH_NAME,
  graphTimeoutMilliseconds: GRAPH_TIMEOUT,
};

/** The properties that store these options. Those that are not set, or empty, have none. */
export function dependencyProps(options: DependencyOptions): Readonly<Record<string, string>> {
  const { after, graph, graphTimeoutMilliseconds: timeoutMs, ...rules } = options;
  const names = after === undefined ? [] : (namesGiven(after) ?? []);
  return {
    ...(names.length > 0 && { [DEPENDENCY_PROPERTIES.after]: namesText(names) }),
    ...(graph !== undefined && graph !== '' && { [GRAPH_NAME]: graph }),
    ...(timeoutMs !== undefined && { [GRAPH_TIMEOUT]: String(timeoutMs) }),
    ...Object.fromEntries(
      choices.flatMap((key) => {
        const value: string | undefined = rules[CHOICE_OPTIONS[key]];
        return value === undefined || value === '' ? [] : [[DEPENDENCY_PROPERTIES[key], value]];
      }),
    ),
  };
}

/** @returns the problem with the names of upstream jobs that a user gives, or undefined; none are no problem */
export function afterProblem(value: unknown, { cron, props }: OtherSettings): Wording | undefined {
  const names = isNames(value) ? namesGiven(value) : undefined;
  if (names === undefined) return wording('after-names');
  const problem = names.map(jobNameProblem).find((each) => each !== undefined);
  if (problem !== undefined) return wording('job-name', { problem });
  if (names.length === 0) return undefined;
  return isEmpty(cron) ? conflict('after', namesText(names), props) : wording('after-cron', { cron });
}

/** @returns the problem with the value of a rule that a user gives, or undefined; an empty text is none */
export function choiceProblem(
  option: DependencyChoice,
  value: unknown,
  { props }: Pick<OtherSettings, 'props'>,
): Wording | undefined {
  if (value === '') return undefined;
  const key = choices.find((each) => CHOICE_OPTIONS[each] === option);
  const known: readonly string[] = key === undefined ? [] : CHOICES[key];
  const chosen = known.find((each) => each === value);
  if (chosen === undefined) return wording('one-of', { words: known.join(', ') });
  return conflict(option, chosen, props);
}

/** @returns the problem with the name of a graph that a user gives, or undefined; an empty text is none */
export function graphNameProblem(value: unknown, { props }: Pick<OtherSettings, 'props'>): Wording | undefined {
  if (value === '') return undefined;
  const problem = jobNameProblem(value);
  if (problem !== undefined) return wording('job-name', { problem });
  return conflict('graph', String(value), props);
}

/** @returns the problem with the time limit of a graph that the properties of the same job contradict, or undefined */
export function graphTimeoutConflict(value: number, { props }: Pick<OtherSettings, 'props'>): Wording | undefined {
  return conflict('graphTimeoutMilliseconds', String(value), props);
}

/** @returns the problem with properties that name upstream jobs although there is a cron expression, or undefined */
export function cronBesideAfter({ cron, props }: OtherSettings): Wording | undefined {
  const names = storedIn(props, DEPENDENCY_PROPERTIES.after);
  if (names === undefined || names === '' || isEmpty(cron)) return undefined;
  return wording('after-property-cron', { property: DEPENDENCY_PROPERTIES.after, cron });
}

/** The other settings of the job whose dependencies are checked, unchecked. */
interface OtherSettings {
  readonly cron?: string | undefined;
  readonly props?: unknown;
}

function isEmpty(cron: unknown): cron is undefined | '' {
  return cron === undefined || cron === '';
}

/** @returns the problem with an option that the properties of the same job contradict, or undefined */
function conflict(option: keyof DependencyOptions, text: string, props: unknown): Wording | undefined {
  const property = DEPENDENCY_OPTIONS[option];
  const other = storedIn(props, property);
  if (other === undefined || other === text) return undefined;
  return wording('run-conflict', { property, other: describeValue(other) });
}

function storedIn(props: unknown, property: string): string | undefined {
  const flat = flattenProps(props ?? {});
  return 'flat' in flat ? flat.flat.get(property) : undefined;
}

/**
 * @param keys the keys of the properties that a user gives; in the registry centre, a later version may have stored
 *   others
 * @returns the problem with a key that begins with `graph.` and is unknown, or undefined
 */
export function graphPropertyKeyProblem(keys: Iterable<string>): Wording | undefined {
  return propertyKeyProblem(keys, GRAPH_PROPERTIES);
}

/** The options among the dependencies that have no effect, because `after` is missing. */
export function rulesWithoutAfter(props: Readonly<Record<string, string>>): readonly string[] {
  if (props[DEPENDENCY_PROPERTIES.after] !== undefined) return [];
  return choices.flatMap((key) => (props[DEPENDENCY_PROPERTIES[key]] === undefined ? [] : [CHOICE_OPTIONS[key]]));
}

function isNames(value: unknown): value is string | readonly string[] {
  return typeof value === 'string' || (Array.isArray(value) && value.every((name) => typeof name === 'string'));
}

/** The names as a user gives them: a text has commas between names. An empty text means none. */
function namesGiven(value: string | readonly string[]): readonly string[] | undefined {
  if (value === '') return [];
  return typeof value === 'string' ? namesIn(value) : [...new Set(value)];
}
