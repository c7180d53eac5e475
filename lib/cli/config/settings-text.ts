/** The settings of a job as text for people: YAML that they may edit, without secrets. */
import { stringify } from 'yaml';
import { inEnglish } from '../../wording/wording.js';
import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type JobConfiguration, jobConfiguration } from '../../api/job/job-configuration.js';
import { DEPENDENCY_OPTIONS } from '../../api/settings/dependency-options.js';
import { RUN_LIMITS } from '../../api/settings/run-limits.js';
import { givenBack, HIDDEN, shownValue } from '../../api/text/secrets.js';
import { type JobConfigurationPOJO } from '../../operations/job-configuration-api.js';
import { bind } from '../../settings/binding.js';
import { parseYaml } from '../../settings/files/yaml-text.js';

/** A stored configuration without its version. */
export function settingsOnly({ version: _, ...settings }: JobConfigurationPOJO): JobConfiguration {
  return settings;
}

/** The settings that a job has set, without secrets: by name, with properties below `props`. */
export function shownSettings({ jobName: _, props, ...settings }: JobConfiguration): Readonly<Record<string, unknown>> {
  const shown = Object.entries(settings as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  const properties = Object.entries(props).map(([key, value]) => [key, shownValue(`props.${key}`, value)] as const);
  return {
    ...Object.fromEntries(
      shown.map(([name, value]) => [name, typeof value === 'string' ? shownValue(name, value) : value]),
    ),
    ...(properties.length > 0 && { props: Object.fromEntries(properties) }),
  };
}

/** The shown settings as YAML. */
export function settingsYaml(configuration: JobConfiguration): string {
  return stringify(shownSettings(configuration), { lineWidth: 0 });
}

/**
 * Reads an edited text into a configuration. Secrets that are still hidden in the text keep their stored values.
 * @throws InvalidConfigurationError naming all problems
 */
export function readSettingsYaml(text: string, before: JobConfiguration): JobConfiguration {
  const tree = parseYaml('The text', text);
  if (!isMap(tree))
    throw new InvalidConfigurationError(['The text must be keys with values (key: value), such as cron: 0 0 2 * * ?']);
  const { settings, problems } = withHidden(boundSettings(before.jobName, tree), before);
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return configurationFrom(before.jobName, settings);
}

/**
 * The stored configuration with other values.
 * @param changes texts by name of the setting, such as `cron` and `props.email.host`; `undefined` unsets it
 * @throws InvalidConfigurationError naming all problems
 */
export function withChanges(
  before: JobConfiguration,
  changes: ReadonlyMap<string, string | undefined>,
): JobConfiguration {
  const { jobName, ...stored } = before;
  const settings: Record<string, unknown> = {};
  const props: Record<string, string | undefined> = { ...stored.props };
  const masked = [...changes].filter(([, value]) => value?.includes(HIDDEN) === true);
  if (masked.length > 0)
    throw new InvalidConfigurationError(
      masked.map(([name]) => `${name} has ${HIDDEN}, which stands for a secret: give the secret itself`),
    );
  for (const [name, value] of changes) {
    const property = STORED_AS.get(name);
    // An empty text unsets the setting, as in files and in the environment.
    if (property !== undefined) props[property] = value === '' ? undefined : value;
    else if (name.startsWith(PROPS)) props[name.slice(PROPS.length)] = value;
    else settings[name] = value ?? '';
  }
  const kept = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  const bound = boundSettings(jobName, settings);
  const unset = [...bound].filter(([, value]) => value === '').map(([name]) => name);
  const all = Object.entries({ ...stored, ...Object.fromEntries(bound), props: kept });
  return configurationFrom(jobName, new Map(all.filter(([name]) => !unset.includes(name))));
}

const PROPS = 'props.';

/** The settings that are stored as properties: the property by the name of the setting. */
const STORED_AS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(RUN_LIMITS).map(([name, { property }]) => [name, property] as const),
  ...Object.entries(DEPENDENCY_OPTIONS),
]);

/** The settings by their declared names; texts that look like numbers or flags are converted. */
function boundSettings(jobName: string, tree: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const { jobs, problems } = bind([{ source: 'file', tree: { jobs: { [jobName]: tree } } }]);
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return [...jobs.values()][0] ?? new Map<string, unknown>();
}

function configurationFrom(jobName: string, settings: ReadonlyMap<string, unknown>): JobConfiguration {
  return jobConfiguration({ ...Object.fromEntries(settings), jobName });
}

function withHidden(
  edited: ReadonlyMap<string, unknown>,
  before: JobConfiguration,
): { readonly settings: ReadonlyMap<string, unknown>; readonly problems: readonly string[] } {
  const stored = before as unknown as Readonly<Record<string, unknown>>;
  const problems: string[] = [];
  const restored = (name: string, value: unknown, was: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const before = typeof was === 'string' ? was : undefined;
    const answer = givenBack(value, before, before === undefined ? undefined : shownValue(name, before));
    if ('value' in answer) return answer.value;
    problems.push(`${name} ${inEnglish(answer.problem)}`);
    return value;
  };
  const settings = [...edited].map(([name, value]): readonly [string, unknown] => {
    if (name !== 'props' || !isMap(value)) return [name, restored(name, value, stored[name])];
    const props = Object.entries(value).map(([key, each]) => [key, restored(PROPS + key, each, before.props[key])]);
    return [name, Object.fromEntries(props) as unknown];
  });
  return { settings: new Map(settings), problems };
}
