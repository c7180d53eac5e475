import { DEPENDENCY_PROPERTIES } from '../../../api/settings/dependencies.js';
import { type JobConfiguration } from '../../../api/job/job-configuration.js';
import { findGraphProblems } from '../../../graphs/read-graph.js';
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { propertySetting, withoutSetting } from '../../answers/setting-problem.js';
import { type SettingProblem } from '../../contract/common.js';

/**
 * Checks the place of a job among the jobs before it. A cycle is a problem. All else is a warning, because the settings
 * of another job can put it right, and two jobs cannot be changed at once.
 * @throws RegistryUnavailableError if the registry centre does not answer
 */
export async function graphChecks(
  registry: RegistryCenter,
  job: JobConfiguration,
): Promise<{ readonly problems: readonly SettingProblem[]; readonly warnings: readonly SettingProblem[] }> {
  const found = (await findGraphProblems(registry, job)).map(({ problem, wording }) => ({
    isFatal: problem.type === 'cycle',
    problem: { ...withoutSetting(wording), setting: propertySetting(DEPENDENCY_PROPERTIES.after) },
  }));
  const those = (isFatal: boolean): readonly SettingProblem[] =>
    found.filter((each) => each.isFatal === isFatal).map(({ problem }) => problem);
  return { problems: those(true), warnings: those(false) };
}
