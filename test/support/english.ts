import { inEnglish, type Wording } from '../../lib/wording/wording.js';

/** The English sentence of a problem; `undefined` if there is none. */
export function english(problem: Wording | undefined): string | undefined {
  return problem && inEnglish(problem);
}
