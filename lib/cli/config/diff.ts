import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type JobConfiguration, jobConfiguration } from '../../api/job/job-configuration.js';
import { JobOptions } from '../../api/job/job-options.js';
import { flattenProps } from '../../api/settings/props.js';
import { settingsOf } from '../../api/settings/setting.js';
import { knownNames } from '../../api/text/nearest.js';
import { JobConfigurationAPI } from '../../operations/job-configuration-api.js';
import { changedSettings, type SettingChange } from '../../operations/changes/setting-changes.js';
import { type JobSettings } from '../../settings/job-settings.js';
import { type MergedJob, mergeSettings } from '../../settings/merge-settings.js';
import { CommandError, EXIT, type ExitCode, exitCodeOf } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { changeColumns } from './changes-table.js';
import { settingsOnly } from './settings-text.js';

/** A setting that differs, or the reason why a job cannot be compared. */
interface Difference extends SettingChange {
  readonly jobName: string;
}

/**
 * `config diff [job]`: where the stored settings differ from those of the YAML file and the environment. Settings that
 * only the application's code has are not compared.
 */
export async function diffConfig(invocation: Invocation, jobName: string | undefined): Promise<ExitCode> {
  const { output } = invocation;
  const given = jobsInFile(invocation, jobName);
  const api = new JobConfigurationAPI(await invocation.registry());
  const found: Difference[] = [];
  // One after the other: a file has few jobs.
  for (const [name, job] of given) found.push(...(await differencesOf(api, name, job)));
  output.list(
    {
      rows: found,
      columns: [{ title: 'JOB', text: (row) => row.jobName }, ...changeColumns('STORED', 'FILE')],
      empty: `No difference in ${given.size === 1 ? '1 job' : `${given.size} jobs`}.`,
    },
    found,
  );
  return found.length === 0 ? EXIT.done : EXIT.found;
}

function jobsInFile({ settings }: Invocation, jobName: string | undefined): ReadonlyMap<string, MergedJob> {
  const { path, file, environment } = settings;
  if (path === undefined)
    throw new CommandError(EXIT.usage, 'Compare with which file? Name it by --config elasticjob.yaml.');
  const { jobs } = mergeSettings({ code: [], file, environment }) ?? { jobs: new Map<string, MergedJob>() };
  const wanted = new Map([...jobs].filter(([name]) => jobName === undefined || name === jobName));
  if (wanted.size === 0)
    throw new CommandError(
      EXIT.usage,
      `File '${path}' has no ${jobName === undefined ? 'job.' : `job '${jobName}'${knownNames(jobName, [...jobs.keys()])}.`}`.replace(
        '?.',
        '?',
      ),
    );
  return wanted;
}

async function differencesOf(
  api: JobConfigurationAPI,
  jobName: string,
  { settings, problems }: MergedJob,
): Promise<readonly Difference[]> {
  const others = problems.filter((problem) => !problem.includes('.shardingTotalCount: '));
  if (others.length > 0) throw new InvalidConfigurationError(others);
  try {
    const stored = settingsOnly(await api.getJobConfiguration(jobName));
    const after = jobConfiguration(withFile(stored, settings));
    return changedSettings(stored, after).map((change) => ({ jobName, ...change }));
  } catch (error) {
    const exitCode = exitCodeOf(error);
    if (exitCode === EXIT.unknownJob) return [{ jobName, setting: '', before: 'no such job', after: 'job' }];
    if (exitCode === EXIT.usage) return [{ jobName, setting: '', before: (error as Error).message, after: 'job' }];
    throw error;
  }
}

/** The stored settings, overridden by those of the file. */
function withFile(stored: JobConfiguration, settings: JobSettings): JobConfiguration {
  const { jobExecutorServiceHandlerType: former, props: given, ...others } = settings;
  const known = settingsOf(JobOptions);
  const own = Object.entries(others).filter(([name, value]) => known.has(name) && value !== undefined);
  const flat = flattenProps(given ?? {});
  return {
    ...stored,
    ...(former !== undefined && { jobExecutorThreadPoolSizeProviderType: former }),
    ...Object.fromEntries(own),
    props: { ...stored.props, ...('flat' in flat && Object.fromEntries(flat.flat)) },
  };
}
