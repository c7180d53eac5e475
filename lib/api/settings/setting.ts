/**
 * Decorators that declare settings: class-validator's constraints, on the fields of an options class.
 *
 * ```ts
 * class JobOptions {
 *   @IntegerSetting({ min: 1, required: true }) shardingTotalCount?: number;      // IsDefined, IsInt, Min, Max
 *   @TextSetting({ requirement: wording('cron-text') }, rule('cron', cronProblem)) cron?: string;
 * }
 * ```
 * One call of class-validator checks an object with all sections below it; the first constraint that fails gives a
 * field's problem. `problemsIn` adds the key path, the value and the source, which class-validator does not know. Code
 * that reads settings from text (a file, the environment) reads the declarations, which class-validator keeps as the
 * context of the constraints, to learn what kind of value a text stands for (`settingsOf`).
 */
import {
  Allow,
  getMetadataStorage,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
  validateSync,
  type ValidationArguments,
  type ValidationError,
  type ValidationOptions,
} from 'class-validator';
import { inEnglish, type Wording, wording } from '../../wording/wording.js';
import { describeValue, isMap, type Secrecy, withValue } from '../text/describe-value.js';
import { keyPath } from '../job/job-name.js';
import { knownNamesHint } from '../text/nearest.js';
import { storedEntryProblem, storedTextProblem } from '../text/stored-text.js';

/** Kind of a setting's value; decides how text from a file or the environment is converted. */
export type SettingKind = 'text' | 'integer' | 'boolean' | 'text-list' | 'text-map' | 'section' | 'code';

/** Options that all declarations share. */
export interface SettingOptions {
  /** True if the setting must be given. Default: false. */
  readonly required?: boolean;
  /** `hidden` keeps the value out of all messages. Default: `shown`. */
  readonly secrecy?: Secrecy;
}

/** The declaration of one setting. */
export interface SettingDeclaration {
  readonly kind: SettingKind;
  readonly secrecy: Secrecy;
}

/**
 * The problem with a value, as a requirement: `must be a text`. Words that no page shows in other languages may be
 * English.
 */
type Problem = Wording | string;

/**
 * The context of a constraint: the declaration of its setting, and the problem if it fails; absent if its message
 * states it.
 */
interface ConstraintContext extends SettingDeclaration {
  readonly problem?: (value: never, owner: never) => Problem | undefined;
}

/** A constraint of class-validator that still needs the declaration as its context. */
export type Constraint = (options: ValidationOptions) => PropertyDecorator;

/**
 * Declares a setting of any kind; the decorators below are its common forms. The first constraint that fails counts.
 */
export function Setting(
  { kind, secrecy = 'shown' }: { readonly kind: SettingKind; readonly secrecy?: Secrecy },
  ...constraints: readonly Constraint[]
): PropertyDecorator {
  const context: SettingDeclaration = { kind, secrecy };
  const decorators = constraints.map((constraint) => constraint({ context }));
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** A setting with further settings below it, or a map of them, which are checked with it. */
export function SectionSetting(): PropertyDecorator {
  return Setting({ kind: 'section' }, ValidateNested);
}

/** A setting whose value is not checked here. */
export function UncheckedSetting(): PropertyDecorator {
  return Setting({ kind: 'section' }, Allow);
}

/**
 * A constraint that class-validator does not have.
 * @param name name of the rule, which no other constraint of the setting has
 * @param problem returns the problem with a value as a requirement (`must be a text`), or undefined; its second
 *   argument is the object whose field it is
 */
export function rule(name: string, problem: (value: never, owner: never) => Problem | undefined): Constraint {
  const validator = {
    validate: (_: unknown, args?: ValidationArguments) =>
      args === undefined || problem(args.value as never, args.object as never) === undefined,
  };
  return (options) => ValidateBy({ name, validator }, saying(options, problem));
}

function required(requirement: Problem): Constraint {
  const problem = (value: unknown): Problem => {
    if (value === null) return requirement;
    return typeof requirement === 'string'
      ? `is required and ${requirement}`
      : wording('required', { problem: requirement });
  };
  return (options) => IsDefined(saying(options, problem));
}

/** class-validator's own messages can be texts alone, so the context has the problem. */
function saying(
  options: ValidationOptions,
  problem: Problem | Required<ConstraintContext>['problem'],
): ValidationOptions {
  const context = options.context as SettingDeclaration;
  const problemWith = typeof problem === 'function' ? problem : (): Problem => problem;
  // A constraint without a message has no context when it fails.
  return { ...options, message: 'is wrong', context: { ...context, problem: problemWith } };
}

/**
 * An integer from `min` to `max`, which defaults to Java's greatest int, 2147483647. `also` is a value outside these
 * bounds with a meaning of its own.
 */
export function IntegerSetting(
  options: SettingOptions & {
    readonly min: number;
    readonly max?: number;
    readonly also?: { readonly value: number; readonly meaning: Wording };
  },
  ...constraints: readonly Constraint[]
): PropertyDecorator {
  const { min, max = 2 ** 31 - 1, also } = options;
  const atLeast = also === undefined ? wording('integer-min', { min }) : wording('or-integer-min', { ...also, min });
  const atMost = also === undefined ? wording('integer-max', { max }) : wording('or-integer-max', { ...also, max });
  const validateIf = (_: object, value: unknown): boolean => value !== also?.value;
  return Setting(
    { ...options, kind: 'integer' },
    ...(options.required === true ? [required(atLeast)] : []),
    (context) => IsInt(saying(context, atLeast)),
    (context) => Min(min, { ...saying(context, atLeast), validateIf }),
    (context) => Max(max, { ...saying(context, atMost), validateIf }),
    ...constraints,
  );
}

/** `true` or `false`. */
export function BooleanSetting(): PropertyDecorator {
  // IsBoolean accepts objects of the class Boolean, which are always true in conditions.
  return Setting({ kind: 'boolean' }, (context) => IsIn([true, false], saying(context, wording('boolean'))));
}

/** A text. `requirement` is the problem with a value that is not a text (default: `must be a text`). */
export function TextSetting(
  options: SettingOptions & { readonly requirement?: Problem } = {},
  ...constraints: readonly Constraint[]
): PropertyDecorator {
  const { requirement = wording('text') } = options;
  return Setting(
    { ...options, kind: 'text' },
    ...(options.required === true ? [required(requirement)] : []),
    rule('text', (value: unknown) => (typeof value === 'string' ? storedTextProblem(value) : requirement)),
    ...constraints,
  );
}

/** A list of texts, none of them empty. */
export function TextListSetting(...constraints: readonly Constraint[]): PropertyDecorator {
  const problem = wording('text-list');
  return Setting(
    { kind: 'text-list' },
    (context) => IsArray(saying(context, problem)),
    (context) => Matches(/\S/, { ...saying(context, problem), each: true }),
    rule('storedEntries', (texts: readonly string[]) =>
      texts.map(storedEntryProblem).find((problem) => problem !== undefined),
    ),
    ...constraints,
  );
}

/** The settings that a class and its base classes declare, by name. */
export function settingsOf(type: abstract new (...args: never[]) => object): ReadonlyMap<string, SettingDeclaration> {
  const constraints = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return new Map(
    constraints.map(({ propertyName, context }) => {
      const { kind, secrecy } = context as unknown as SettingDeclaration;
      return [propertyName, { kind, secrecy }];
    }),
  );
}

/** A problem with one setting. */
export interface SettingProblem {
  /** The names from the checked object down to the setting. */
  readonly place: readonly string[];
  /** `must be an integer of at least 1, got "three"` */
  readonly problem: string;
  /** The problem for programs, with the value; absent if there is only `problem`. */
  readonly wording?: Wording;
}

/** The problem that no setting has this key. */
export function unknownKey(key: string, known: readonly string[]): Wording {
  return wording('unknown-key', { hint: knownNamesHint(key, known) });
}

/** Checks the declared settings of an object and of all sections below it. An object's own problems come first. */
export function settingProblems(settings: object): readonly SettingProblem[] {
  const errors = validateSync(settings, {
    skipUndefinedProperties: true,
    stopAtFirstError: true,
    forbidUnknownValues: false,
  });
  return problemsOf(errors, []);
}

function problemsOf(errors: readonly ValidationError[], above: readonly string[]): readonly SettingProblem[] {
  const own = errors.flatMap(({ property, value, target, constraints = {}, contexts }) =>
    Object.entries(constraints).map(([name, message]) => {
      const { secrecy, problem: problemWith } = contexts?.[name] as ConstraintContext;
      const place = [...above, property];
      const problem = problemWith?.(value as never, target as never) ?? message;
      const isGiven = value !== undefined;
      if (typeof problem === 'string')
        return { place, problem: isGiven ? `${problem}, got ${describeValue(value, secrecy)}` : problem };
      const worded = isGiven ? withValue(problem, value, secrecy) : problem;
      return { place, problem: inEnglish(worded), wording: worded };
    }),
  );
  return [...own, ...errors.flatMap(({ property, children = [] }) => problemsOf(children, [...above, property]))];
}

/**
 * Checks the declared settings of `target`.
 * @returns the problems, one line each: `{path}.{setting}: must be an integer of at least 1, got "three"`
 */
export function problemsIn(target: object, path: string): readonly string[] {
  return settingProblems(target).map(({ place, problem }) => `${place.reduce(keyPath, path)}: ${problem}`);
}

/**
 * Checks a map that code has given: its keys, and the settings that `type` declares, without the sections below it.
 * @param path the start of each line, such as `new ZookeeperRegistryCenter()`
 * @returns the problems, one line each
 */
export function problemsInMap(given: unknown, type: new () => object, path: string): readonly string[] {
  if (!isMap(given)) return [`${path}: needs a plain object of settings, got ${describeValue(given, 'hidden')}`];
  const known = settingsOf(type);
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const own = entries.filter(([key]) => {
    const kind = known.get(key)?.kind;
    return kind !== undefined && kind !== 'section';
  });
  const target = Object.assign(new type(), Object.fromEntries(own));
  const unknown = entries.map(([key]) => key).filter((key) => !known.has(key));
  return [
    ...unknown.map((key) => `${keyPath(path, key)}: ${inEnglish(unknownKey(key, [...known.keys()]))}`),
    ...problemsIn(target, path),
  ];
}
