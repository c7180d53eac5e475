import { computed, ref } from 'vue';
import { en, type Texts } from './en.js';

export type TextKey = keyof typeof en;
export type Language = 'en' | 'zh';

const STORED = 'elasticjob.language';
const texts = ref<Texts>(en);

export const language = ref<Language>('en');
export const locale = computed(() => (language.value === 'zh' ? 'zh-CN' : 'en-GB'));

/** A text in the user's language; `{name}` in it is replaced by `values.name`. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return texts.value[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A text whose key is made of something that the server says; `fallback` if there is none for it. */
export function tOr(key: string, fallback: string): string {
  return (texts.value as Readonly<Record<string, string>>)[key] ?? fallback;
}

export function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'zh') return stored;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** Loads the texts of a language and shows them; it is kept for the next visit. */
export async function speak(wanted: Language): Promise<void> {
  texts.value = wanted === 'zh' ? (await import('./zh.js')).zh : en;
  language.value = wanted;
  document.documentElement.lang = wanted === 'zh' ? 'zh-CN' : 'en';
  localStorage.setItem(STORED, wanted);
}
