import { inEnglish, type Wording } from '../../lib/wording/wording.js';

/** What a problem says in English; `undefined` if there is none. */
export function english(problem: Wording | undefined): string | undefined {
  return problem && inEnglish(problem);
}
