/**
 * Sentences about the input of users, as codes and values. English is made here, from the one table of all sentences;
 * the console's page has the same table in its other languages.
 */
import { CONSOLE_SENTENCES } from './console-sentences.js';
import { CRON_SENTENCES } from './cron-sentences.js';
import { DOUBT_SENTENCES, SETTING_SENTENCES } from './setting-sentences.js';

/** Every sentence and clause in English, by code. `{name}` stands for a value. */
export const SENTENCES = {
  ...SETTING_SENTENCES,
  ...DOUBT_SENTENCES,
  ...CRON_SENTENCES,
  ...CONSOLE_SENTENCES,
} as const;

/** A word by which programs distinguish sentences. */
export type SentenceCode = keyof typeof SENTENCES;

/** Value in a sentence: a text, a number, or a clause with values of its own. */
export type WordingValue = string | number | Wording;

/** A sentence, or a part of one. */
export interface Wording {
  readonly code: SentenceCode;
  readonly values: Readonly<Record<string, WordingValue>>;
}

/** A text may have braces of its own, such as `{ timeZone: … }`. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string}${' ' | ':' | '…'}${string}` ? never : Name) | NamesIn<Rest>
  : never;
type NamesOf<Code extends SentenceCode> = NamesIn<(typeof SENTENCES)[Code]>;
type ValuesOf<Code extends SentenceCode> = [NamesOf<Code>] extends [never]
  ? []
  : [values: Readonly<Record<NamesOf<Code>, WordingValue>>];

/** The sentence of a code, with the values that it needs. */
export function wording<Code extends SentenceCode>(code: Code, ...given: ValuesOf<Code>): Wording {
  const [values = {}] = given as readonly Wording['values'][];
  return { code, values };
}

/** The sentence in English. */
export function inEnglish({ code, values }: Wording): string {
  const text = SENTENCES[code].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'object' ? inEnglish(value) : String(value);
  });
  // A clause may end the sentence itself: `did you mean 'cron'?`
  return text.replace(/([?.])\.$/, '$1');
}
