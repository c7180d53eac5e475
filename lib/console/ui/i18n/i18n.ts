import { computed, ref } from 'vue';
import { en, type Texts } from './en.js';
import { type Kind, type TextKey } from './text-key.js';

export { type NoneKey, type TextKey } from './text-key.js';

type Values = Readonly<Record<string, string | number>>;
export type Language = 'en' | 'zh';

const STORED = 'elasticjob.language';
const texts = ref<Texts>(en);

export const language = ref<Language>('en');
export const locale = computed(() => (language.value === 'zh' ? 'zh-CN' : 'en-GB'));

/** A text in the user's language; `{name}` in it is replaced by `values.name`. */
export function t(key: TextKey, values: Values = {}): string {
  return tOr(key, key, values);
}

/** A text whose key contains a value of the server; `fallback` if there is no text for it. */
export function tOr(key: string, fallback: string, values: Values = {}): string {
  // An unknown value of the server is shown unchanged.
  const text = (texts.value as Readonly<Record<string, string>>)[key];
  return text === undefined
    ? fallback
    : text.replace(/\{(\w+)\}/g, (whole, name: string) => isolated(values[name] ?? whole));
}

/** A value with marks of text direction also ends them. */
function isolated(value: string | number): string {
  const text = String(value);
  return /[\u202a-\u202e\u2066-\u2069]/.test(text) ? `\u2068${text}\u2069` : text;
}

/** The word for a value of the server; the value itself if the page has no word for it. */
export const nameOf = (kind: Kind, value: string): string => tOr(`${kind}.${value}`, value);

export function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'zh') return stored;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** Loads and shows the texts of a language, and stores the choice for the next visit. */
export async function speak(wanted: Language): Promise<void> {
  texts.value = wanted === 'zh' ? (await import('./zh.js')).zh : en;
  language.value = wanted;
  document.documentElement.lang = wanted === 'zh' ? 'zh-CN' : 'en';
  localStorage.setItem(STORED, wanted);
}
