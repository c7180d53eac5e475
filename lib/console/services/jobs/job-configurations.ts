import { type Wording, wording } from '../../../wording/wording.js';
import { isLostRace } from '../../../api/errors/registry-errors.js';
import { checkedJob, type JobConfiguration, jobConfiguration } from '../../../api/job/job-configuration.js';
import { doubtsAbout, isJavaClass, javaDoubtsAbout } from '../../../api/job/doubtful-settings.js';
import { DEPENDENCY_PROPERTIES, dependencyProblems } from '../../../api/settings/dependencies.js';
import { isMap } from '../../../api/text/describe-value.js';
import { shownValue, withoutSecrets } from '../../../api/text/secrets.js';
import { readJob, type ReadJob } from '../../../operations/job-reading.js';
import { changedSettings } from '../../../operations/changes/setting-changes.js';
import { type Clock } from '../../../time/clock.js';
import { type SettingProblem } from '../../contract/common.js';
import { type ConfigurationCheck, type StoredConfiguration } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { propertySetting, sentence, settingProblem, withoutSetting } from '../../answers/setting-problem.js';
import { type ConsoleAudit } from '../../security/audit/console-audit.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';
import { graphChecks } from './graph-checks.js';
import { firesAfter } from './fires.js';
import { type IsSecret, secretsOf, shownSettings, storedSettings } from './job-secrets.js';
import { type ConsoleAction, operate } from './noted-operations.js';
import { scheduleOf } from '../live/job-rows.js';

/** The number of firings that a check shows. */
const FIRES = 10;

/** The settings of jobs, read from the registry centre itself, as a change needs the present ones. */
export class JobConfigurations {
  readonly #isSecret: IsSecret;

  constructor(
    private readonly audit: ConsoleAudit,
    private readonly clock: Clock,
    { hidesParameters = false }: { readonly hidesParameters?: boolean | undefined } = {},
  ) {
    this.#isSecret = secretsOf(hidesParameters);
  }

  /** The stored settings, without secrets. @throws UnknownJobError, RegistryUnavailableError */
  async read(registry: ConsoleRegistry, jobName: string): Promise<StoredConfiguration> {
    const job = await readJob(registry.center, jobName);
    const { config, configFault, configVersion } = job.view;
    const text = job.nodes.get(job.paths.config)?.value;
    if (text === undefined || configVersion === undefined) throw noConfiguration(jobName);
    return {
      version: configVersion,
      configuration: config === undefined ? { jobName, shardingTotalCount: 0 } : shownSettings(config, this.#isSecret),
      yaml: withoutSecrets(text, this.#isSecret),
      isOverwritten: config?.overwrite ?? false,
      ...(configFault !== undefined && { problem: configFault }),
    };
  }

  /** The problems and changes of a `write`, without writing. */
  async check(registry: ConsoleRegistry, jobName: string, given: unknown): Promise<ConfigurationCheck> {
    const job = await readJob(registry.center, jobName);
    const { settings, problems: own } = this.#merged(job, given);
    if (own.length > 0) return { problems: own, warnings: [], changes: [], nextFires: [] };
    const configuration = jobConfiguration(settings);
    const { problems, warnings } = await graphChecks(registry.center, configuration);
    const before = job.view.config;
    const changes = changedSettings(before, configuration).map(({ setting, before: was, after: is }) => ({
      setting,
      ...(was !== undefined && { before: shownValue(setting, was, this.#isSecret) }),
      ...(is !== undefined && { after: shownValue(setting, is, this.#isSecret) }),
    }));
    const schedule = scheduleOf(configuration);
    return {
      problems,
      warnings: [...warnings, ...this.#warnings(configuration, job)],
      changes,
      nextFires: schedule === undefined ? [] : firesAfter(schedule, { from: this.clock.now(), count: FIRES }).fires,
    };
  }

  /**
   * Replaces the settings of this version.
   * @throws ConsoleProblem 412 if a later version is stored, 422 if the settings are invalid
   */
  async write(action: ConsoleAction, jobName: string, given: unknown, version: number): Promise<StoredConfiguration> {
    const { registry } = action;
    const what = { action: 'job.config.update', target: jobName, clock: this.clock };
    await operate(this.audit, action, what, async ({ configurations, context }) => {
      const job = await readJob(registry.center, jobName);
      const { configVersion } = job.view;
      if (configVersion === undefined) throw noConfiguration(jobName);
      if (configVersion !== version) throw stale(jobName, version, configVersion);
      const { settings, problems: own } = this.#merged(job, given);
      const problems = own.length > 0 ? own : (await graphChecks(registry.center, jobConfiguration(settings))).problems;
      if (problems.length > 0)
        throw new ConsoleProblem(
          422,
          'invalid-settings',
          `The settings of job '${jobName}' were not stored: ${problems.map(({ message }) => message).join(' ')}`,
          { problems },
        );
      try {
        await configurations.updateJobConfiguration({ ...jobConfiguration(settings), version }, context);
      } catch (error) {
        if (isLostRace(error)) throw stale(jobName, version, undefined, error);
        throw error;
      }
    });
    return this.read(registry, jobName);
  }

  /** The given settings, with the stored secrets instead of asterisks, and all problems. */
  #merged(
    { jobName, view }: ReadJob,
    given: unknown,
  ): { readonly settings: JobConfiguration; readonly problems: readonly SettingProblem[] } {
    const { settings, problems } = storedSettings(namedSettings(jobName, given), view.config, this.#isSecret);
    const configuration = settings as unknown as JobConfiguration;
    return { settings: configuration, problems: [...problems, ...problemsOf(configuration)] };
  }

  #warnings(configuration: JobConfiguration, { view }: ReadJob): readonly SettingProblem[] {
    const doubts = [
      ...doubtsAbout(configuration, this.clock),
      ...(view.javaPeers.size > 0 || isJavaClass(view.jobClass) ? javaDoubtsAbout(configuration) : []),
    ].map(withoutSetting);
    if (!configuration.overwrite && view.config?.overwrite !== true) return doubts;
    return [...doubts, { setting: 'overwrite', ...withoutSetting(wording('doubt-overwrite')) }];
  }
}

function namedSettings(jobName: string, given: unknown): Readonly<Record<string, unknown>> {
  if (!isMap(given)) throw new ConsoleProblem(422, 'invalid-settings', wording('settings-object'));
  const known = Object.fromEntries(
    Object.entries(withoutStored(given)).filter(([, value]) => value !== null && value !== undefined),
  );
  const name = known['jobName'] ?? jobName;
  if (name !== jobName)
    throw new ConsoleProblem(422, 'name-fixed', `The settings are of job '${jobName}': its name cannot be changed.`);
  return { ...known, jobName };
}

/** Removes the fields that are stored beside the settings. */
function withoutStored({ version: _, jobExtraConfigurations: __, ...settings }: Readonly<Record<string, unknown>>) {
  return settings;
}

/** The problems that the scheduler itself finds, by setting. */
function problemsOf(settings: JobConfiguration): readonly SettingProblem[] {
  const { problems } = checkedJob(settings);
  return [
    ...problems.map(({ place, problem, wording: worded }) => {
      const setting = place.join('.');
      if (worded === undefined) return { setting, message: sentence(problem) };
      return setting === '' ? withoutSetting(worded) : settingProblem(...placed(setting, worded));
    }),
    // Properties are read only if they are texts by key.
    ...(problems.length > 0 ? [] : dependencyProblems(jobConfiguration(settings).props)).map(
      ({ property, wording: worded }) => settingProblem(propertySetting(property), worded),
    ),
  ];
}

/** The form has a field of its own for the jobs after which a job runs. */
function placed(setting: string, worded: Wording): [string, Wording] {
  const { problem } = worded.values;
  if (typeof problem !== 'object' || problem.code !== 'after-property-cron') return [setting, worded];
  const { cron = '' } = problem.values;
  return [propertySetting(DEPENDENCY_PROPERTIES.after), wording('after-cron', { cron })];
}

function noConfiguration(jobName: string): ConsoleProblem {
  const cure = 'Restart an application that has it, which then stores its own settings.';
  return new ConsoleProblem(404, 'no-configuration', `Job '${jobName}' has no stored settings. ${cure}`);
}

function stale(jobName: string, version: number, latest: number | undefined, cause?: unknown): ConsoleProblem {
  const now = latest === undefined ? 'have been changed at the same moment' : `are now of version ${latest}`;
  return new ConsoleProblem(
    412,
    'stale-version',
    `The settings of job '${jobName}' ${now}, and yours were made from version ${version}. Read them again, and repeat your change.`,
    { cause, ...(latest !== undefined && { headers: { etag: `"${latest}"` } }) },
  );
}
