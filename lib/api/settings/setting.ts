/**
 * How settings are declared: with class-validator's constraints, on the fields of an options class.
 *
 * ```ts
 * class JobOptions {
 *   @IntegerSetting({ min: 1, required: true }) shardingTotalCount?: number;      // IsDefined, IsInt, Min, Max
 *   @TextSetting({ what: 'a cron expression' }, rule('cron', cronProblem)) cron?: string;
 * }
 * ```
 * One call of class-validator checks an object with all sections below it; the first constraint that fails gives a field's
 * problem. `problemsIn` adds what class-validator does not know: the key path, the value and the source. Code that reads
 * settings from text (a file, the environment) asks for the declarations, which class-validator keeps as the context of
 * the constraints, to learn what kind of value a text stands for (`settingsOf`).
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
import { describeValue, isMap, type Secrecy } from '../text/describe-value.js';
import { keyPath } from '../job/job-name.js';
import { knownNames } from '../text/nearest.js';
import { storedEntryProblem, storedTextProblem } from '../text/stored-text.js';

/** What a setting's value is; decides how text from a file or the environment is converted. */
export type SettingKind = 'text' | 'integer' | 'boolean' | 'text-list' | 'text-map' | 'section' | 'code';

/** Options that all declarations share. */
export interface SettingOptions {
  /** Whether the setting must be given. Default: false. */
  readonly required?: boolean;
  /** `hidden` keeps the value out of all messages. Default: `shown`. */
  readonly secrecy?: Secrecy;
}

/** The declaration of one setting. */
export interface SettingDeclaration {
  readonly kind: SettingKind;
  readonly secrecy: Secrecy;
}

/** A constraint of class-validator that still needs the declaration as its context. */
export type Constraint = (options: ValidationOptions) => PropertyDecorator;

/** Declares a setting of any kind; the decorators below are its common forms. The first constraint that fails counts. */
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
 * @param name what it is about; no other constraint of the setting has this name
 * @param problem returns the problem with a value as a requirement (`must be a text`), or undefined; its second argument
 * is the object whose field it is
 */
export function rule(name: string, problem: (value: never, owner: never) => string | undefined): Constraint {
  const problemWith = (args?: ValidationArguments): string | undefined =>
    args && problem(args.value as never, args.object as never);
  const validator = {
    validate: (_: unknown, args?: ValidationArguments) => problemWith(args) === undefined,
    defaultMessage: (args?: ValidationArguments) => withoutTokens(problemWith(args) ?? 'is wrong'),
  };
  return (options) => ValidateBy({ name, validator }, options);
}

function required(requirement: string): Constraint {
  const message = ({ value }: ValidationArguments): string =>
    value === null ? requirement : `is required and ${requirement}`;
  return (options) => IsDefined({ ...options, message });
}

/**
 * An integer from `min` to `max`, which defaults to Java's greatest int, 2147483647. `also` is a value outside these
 * bounds with a meaning of its own.
 */
export function IntegerSetting(
  options: SettingOptions & {
    readonly min: number;
    readonly max?: number;
    readonly also?: { readonly value: number; readonly meaning: string };
  },
  ...constraints: readonly Constraint[]
): PropertyDecorator {
  const { min, max = 2 ** 31 - 1, also } = options;
  const integer = `must be ${also === undefined ? '' : `${also.value} (${also.meaning}) or `}an integer`;
  const atLeast = `${integer} of at least ${min}`;
  const validateIf = (_: object, value: unknown): boolean => value !== also?.value;
  return Setting(
    { ...options, kind: 'integer' },
    ...(options.required === true ? [required(atLeast)] : []),
    (context) => IsInt({ ...context, message: atLeast }),
    (context) => Min(min, { ...context, validateIf, message: atLeast }),
    (context) => Max(max, { ...context, validateIf, message: `${integer} of at most ${max}` }),
    ...constraints,
  );
}

/** `true` or `false`. */
export function BooleanSetting(): PropertyDecorator {
  // IsBoolean accepts objects of the class Boolean, which are true whatever they contain.
  return Setting({ kind: 'boolean' }, (context) =>
    IsIn([true, false], { ...context, message: 'must be true or false' }),
  );
}

/** A text. `what` names the kind of text in the message for a value that is not a text (default: `a text`). */
export function TextSetting(
  options: SettingOptions & { readonly what?: string } = {},
  ...constraints: readonly Constraint[]
): PropertyDecorator {
  const requirement = `must be ${options.what ?? 'a text'}`;
  return Setting(
    { ...options, kind: 'text' },
    ...(options.required === true ? [required(requirement)] : []),
    rule('text', (value: unknown) => (typeof value === 'string' ? storedTextProblem(value) : requirement)),
    ...constraints,
  );
}

/** A list of texts, none of them empty. */
export function TextListSetting(...constraints: readonly Constraint[]): PropertyDecorator {
  const message = 'must be a list of texts that are not empty';
  return Setting(
    { kind: 'text-list' },
    (context) => IsArray({ ...context, message }),
    (context) => Matches(/\S/, { ...context, each: true, message }),
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
    constraints.map(({ propertyName, context }) => [propertyName, context as unknown as SettingDeclaration]),
  );
}

/** A problem with one setting. */
export interface SettingProblem {
  /** The names from the checked object down to the setting. */
  readonly place: readonly string[];
  /** `must be an integer of at least 1, got "three"` */
  readonly problem: string;
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
  const own = errors.flatMap(({ property, value, constraints = {}, contexts }) =>
    Object.entries(constraints).map(([name, message]) => {
      const { secrecy } = contexts?.[name] as SettingDeclaration;
      const got = value === undefined ? '' : `, got ${describeValue(value, secrecy)}`;
      return { place: [...above, property], problem: withTokens(message) + got };
    }),
  );
  return [...own, ...errors.flatMap(({ property, children = [] }) => problemsOf(children, [...above, property]))];
}

// class-validator replaces `$value`, `$property` and the like in messages, and a message may quote what a user wrote.
function withoutTokens(message: string): string {
  return message.replaceAll('$', '\0');
}

function withTokens(message: string): string {
  return message.replaceAll('\0', '$');
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
    ...unknown.map((key) => `${keyPath(path, key)}: unknown key${knownNames(key, [...known.keys()])}`),
    ...problemsIn(target, path),
  ];
}
