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
