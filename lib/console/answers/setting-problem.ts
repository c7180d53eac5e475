import { inEnglish, type Wording, wording, type WordingValue } from '../../wording/wording.js';
import { type SettingProblem } from '../contract/common.js';

/** A problem with a setting, as its sentence: `name must be a text.` */
export function settingProblem(
  setting: string,
  problem: Wording,
  subject: WordingValue = setting,
): SettingProblem & { readonly wording: Wording } {
  const sentence = wording('setting', { setting: subject, problem });
  return { setting, message: inEnglish(sentence), wording: sentence };
}

/** A problem of the settings as a whole, as its sentence. */
export function withoutSetting(clause: Wording): SettingProblem {
  return { message: sentence(inEnglish(clause)), wording: wording('sentence', { clause }) };
}

/** A clause as a sentence of its own. */
export function sentence(clause: string): string {
  const text = clause.trim();
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}

/** The name by which problems name a property of a job: `props.graph.after`. */
export function propertySetting(property: string): string {
  return `props.${property}`;
}
