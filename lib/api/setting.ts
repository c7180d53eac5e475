/**
 * How settings are declared: a decorator for each kind of value, on the fields of an options class.
 *
 * ```ts
 * class JobOptions {
 *   @IntegerSetting({ min: 1, required: true }) shardingTotalCount?: number;
 * }
 * ```
 * A declaration serves twice: class-validator checks the field by it (`problemsIn`), and whoever reads settings from text
 * (a file, the environment) learns from it which kinds of values the text stands for (`settingsOf`).
 */
import { ValidateBy, validateSync } from 'class-validator';
import { describeValue, type Secrecy } from './describe-value.js';
import { storedEntryProblem, storedTextProblem } from './stored-text.js';

/** What a setting's value is; decides how text from a file or the environment is converted. */
export type SettingKind = 'text' | 'integer' | 'boolean' | 'text-list' | 'text-map' | 'section' | 'code';

/** What is declared of one setting. */
export interface SettingDeclaration {
  readonly kind: SettingKind;
  /** Whether it must be given. */
  readonly required?: boolean;
  /** `hidden`: the value never appears in a message. */
  readonly secrecy?: Secrecy;
  /**
   * What is wrong with a value, said as what it must be (`must be an integer of at least 1`), or `undefined` if nothing is.
   * `owner` is the object whose field it is.
   */
  readonly problem: (value: unknown, owner: object) => string | undefined;
}

/** Options that all declarations share. */
export interface SettingOptions {
  /** Default: false. */
  readonly required?: boolean;
  /** Default: shown. */
  readonly secrecy?: Secrecy;
}

const declarations = new WeakMap<object, Map<string, SettingDeclaration>>();

/** Declares a setting of any kind; the decorators below are its common forms. */
export function Setting(declaration: SettingDeclaration): PropertyDecorator {
  const problemOf = (value: unknown, owner: object): string | undefined => {
    if (value !== undefined) return declaration.problem(value, owner);
    if (declaration.required !== true) return undefined;
    return `is required and ${declaration.problem(undefined, owner) ?? 'must be given'}`;
  };
  return (prototype, property) => {
    const own = declarations.get(prototype) ?? new Map<string, SettingDeclaration>();
    declarations.set(prototype, own.set(String(property), declaration));
    ValidateBy({
      name: 'setting',
      validator: {
        validate: (value, args) => problemOf(value, args?.object ?? {}) === undefined,
        defaultMessage: (args) => problemOf(args?.value, args?.object ?? {}) ?? '',
      },
    })(prototype, property);
  };
}

/** An integer within bounds; `max` defaults to Java's greatest int. `also` is a value outside the bounds with a meaning of its own. */
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
 * A text. `rule` says what is wrong with a text, as what it must be; `what` names the kind of text in messages to who
 * gave something else (default: `a text`).
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

/** What a class declares, its base classes' settings first. */
export function settingsOf(type: abstract new (...args: never[]) => object): ReadonlyMap<string, SettingDeclaration> {
  const chain: object[] = [];
  for (let at = type.prototype as object | null; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    chain.unshift(at);
  }
  return new Map(chain.flatMap((prototype) => [...(declarations.get(prototype) ?? [])]));
}

/**
 * Everything that is wrong with the declared settings of `target`, one line each:
 * `{path}.{setting}: must be an integer of at least 1, got "three"`.
 * @param origin what to say of where a setting came from; default: nothing
 */
export function problemsIn(target: object, path: string, origin: (setting: string) => string = () => ''): string[] {
  const settings = settingsOf(target.constructor as new () => object);
  return validateSync(target, { forbidUnknownValues: false }).map(({ property, value, constraints }) => {
    const got = value === undefined ? '' : `, got ${describeValue(value, settings.get(property)?.secrecy)}`;
    return `${path}.${property}: ${constraints?.['setting'] ?? 'is wrong'}${got}${origin(property)}`;
  });
}
