import { keyPath } from '../api/job/job-name.js';
import { relaxed } from '../api/text/nearest.js';

/** The name of the registry centre of `elasticjob.regCenter`, which jobs have unless they name another one. */
export const DEFAULT_REG_CENTER = 'default';

/** Names that a variable of the environment, a message and a label of a metric can spell. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** The names of the place of a registry centre's settings below `elasticjob`. */
export function placeOfRegCenter(name: string): readonly string[] {
  return name === DEFAULT_REG_CENTER ? ['regCenter'] : ['regCenters', name];
}

/** The key path of a registry centre's settings: `elasticjob.regCenters.reports`. */
export function regCenterPath(name: string): string {
  return placeOfRegCenter(name).reduce(keyPath, 'elasticjob');
}

/**
 * @param section `elasticjob.regCenters` or `elasticjob.registryCenters`, whose keys the names are
 * @returns the problems with the names, one line each
 */
export function regCenterNameProblems(section: string, names: readonly string[]): readonly string[] {
  const problem = (name: string, index: number): string | undefined => {
    if (name === DEFAULT_REG_CENTER) return `is the name of ${section.slice(0, -1)}; write its settings there`;
    if (!NAME.test(name))
      return "must be a name of letters, digits, - and _ that begins with a letter, such as 'reports'";
    const twin = names.slice(0, index).find((other) => relaxed(other) === relaxed(name));
    return twin === undefined ? undefined : `differs from '${twin}' only in case or separators, which do not count`;
  };
  return names.flatMap((name, index) => {
    const found = problem(name, index);
    return found === undefined ? [] : [`${keyPath(section, name)}: ${found}`];
  });
}
