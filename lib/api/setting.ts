/**
 * How settings are declared: a decorator for each kind of value, on the fields of an options class.
 *
 * ```ts
 * class JobOptions {
 *   @IntegerSetting({ min: 1, required: true }) shardingTotalCount?: number;
 * }
 * ```
 * class-validator keeps the declarations, as the constraint of one rule, and applies them (`problemsIn`). Code that reads
 * settings from text (a file, the environment) asks for the same declarations to learn what kind of value a text stands
 * for (`settingsOf`).
 */
import { getMetadataStorage, ValidateBy, validateSync, type ValidationArguments } from 'class-validator';
import { describeValue, isMap, type Secrecy } from './describe-value.js';
import { keyPath } from './job-name.js';
import { suggestion } from './nearest.js';
import { storedEntryProblem, storedTextProblem } from './stored-text.js';

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
export interface SettingDeclaration extends SettingOptions {
  readonly kind: SettingKind;
  /**
   * @param owner the object whose field it is, for settings that depend on others
   * @returns the problem with a value, as a requirement (`must be an integer of at least 1`), or undefined
   */
  readonly problem: (value: unknown, owner: object) => string | undefined;
}

/** The name of the rule under which class-validator keeps declarations. */
const RULE = 'setting';

/** Declares a setting of any kind; the decorators below are its common forms. */
export function Setting(declaration: SettingDeclaration): PropertyDecorator {
  return ValidateBy({
    name: RULE,
    constraints: [declaration],
    validator: {
      validate: (_: unknown, args?: ValidationArguments) => args !== undefined && problemWith(args) === undefined,
      defaultMessage: (args?: ValidationArguments) => (args === undefined ? '' : (problemWith(args) ?? '')),
    },
  });
}

/** @returns the problem with one setting of an object (`must be an integer of at least 1, got "three"`), or undefined */
function problemWith({ value, object, constraints }: ValidationArguments): string | undefined {
  const [{ required = false, secrecy, problem }] = constraints as [SettingDeclaration];
  if (value !== undefined) {
    const found = problem(value, object);
    return found === undefined ? undefined : `${found}, got ${describeValue(value, secrecy)}`;
  }
  return required ? `is required and ${problem(undefined, object) ?? 'must be given'}` : undefined;
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
): PropertyDecorator {
  const { min, max = 2 ** 31 - 1, also } = options;
  const alternative = also === undefined ? '' : `${also.value} (${also.meaning}) or `;
  return Setting({
    ...options,
    kind: 'integer',
    problem: (value) => {
      if (!Number.isInteger(value)) return `must be ${alternative}an integer of at least ${min}`;
      if (value === also?.value) return undefined;
      if ((value as number) < min) return `must be ${alternative}an integer of at least ${min}`;
      return (value as number) > max ? `must be ${alternative}an integer of at most ${max}` : undefined;
    },
  });
}

/** `true` or `false`. */
export function BooleanSetting(options: SettingOptions = {}): PropertyDecorator {
  return Setting({
    ...options,
    kind: 'boolean',
    problem: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  });
}

/**
 * A text. `rule` returns the problem with a text, or undefined; `what` names the kind of text in the message for a value
 * that is not a text (default: `a text`).
 */
export function TextSetting(
  options: SettingOptions & {
    readonly what?: string;
    readonly rule?: (text: string, owner: object) => string | undefined;
  } = {},
): PropertyDecorator {
  const { what = 'a text', rule = () => undefined } = options;
  return Setting({
    ...options,
    kind: 'text',
    problem: (value, owner) =>
      typeof value === 'string' ? (storedTextProblem(value) ?? rule(value, owner)) : `must be ${what}`,
  });
}

/** A list of texts, none of them empty. */
export function TextListSetting(options: SettingOptions = {}): PropertyDecorator {
  const isText = (entry: unknown): entry is string => typeof entry === 'string' && entry.trim() !== '';
  return Setting({
    ...options,
    kind: 'text-list',
    problem: (value) => {
      if (!Array.isArray(value) || !value.every(isText)) return 'must be a list of texts that are not empty';
      return value.map(storedEntryProblem).find((problem) => problem !== undefined);
    },
  });
}

/** The settings that a class and its base classes declare, by name. */
export function settingsOf(type: abstract new (...args: never[]) => object): ReadonlyMap<string, SettingDeclaration> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  const declarations = rules.filter(({ name }) => name === RULE);
  return new Map(
    declarations.map(({ propertyName, constraints: [declaration] = [] }) => [
      propertyName,
      declaration as SettingDeclaration,
    ]),
  );
}

/**
 * Checks the declared settings of `target`.
 * @param origin where a setting came from, as the end of a message; default: nothing
 * @returns the problems, one line each: `{path}.{setting}: must be an integer of at least 1, got "three"`
 */
export function problemsIn(target: object, path: string, origin: (setting: string) => string = () => ''): string[] {
  return validateSync(target, { forbidUnknownValues: false }).map(
    ({ property, constraints }) => `${path}.${property}: ${constraints?.[RULE] ?? 'is wrong'}${origin(property)}`,
  );
}

/**
 * Checks a map that code has given: its keys, and the settings that `type` declares.
 * @param path the start of each line, such as `new ZookeeperRegistryCenter()`
 * @returns the problems, one line each
 */
export function problemsInMap(given: unknown, type: new () => object, path: string): readonly string[] {
  if (!isMap(given))
    return [
      `${path}: needs a map of settings, got ${given === undefined ? 'undefined' : describeValue(given, 'hidden')}`,
    ];
  const known = settingsOf(type);
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const target = Object.assign(new type(), Object.fromEntries(entries.filter(([key]) => known.has(key))));
  const unknown = entries.map(([key]) => key).filter((key) => !known.has(key));
  return [
    ...unknown.map((key) => `${keyPath(path, key)}: unknown key${suggestion(key, known.keys())}`),
    ...problemsIn(target, path),
  ];
}
