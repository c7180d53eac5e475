/** Secrets among a job's settings: shown as asterisks, and kept where asterisks come back. */
import { isMap } from '../../../api/text/describe-value.js';
import { isSecretName } from '../../../api/text/secret-names.js';
import { givenBack, shownValue } from '../../../api/text/secrets.js';
import { type JobConfiguration } from '../../../api/job/job-configuration.js';
import { type SettingProblem } from '../../contract/common.js';
import { settingProblem } from '../../answers/setting-problem.js';
import { type JobConfigurationDto } from '../../contract/jobs.js';

/** Whether the value of a setting, a property or a field of that name is hidden. */
export type IsSecret = (name: string) => boolean;

/** The settings in which applications hand over what their jobs work on. */
const PARAMETERS = ['jobParameter', 'shardingItemParameters'];

/** What is hidden from the console's users. @param hidesParameters the option `hideParameters` */
export function secretsOf(hidesParameters: boolean): IsSecret {
  return hidesParameters ? (name) => PARAMETERS.includes(name) || isSecretName(name) : isSecretName;
}

/** A job's settings without secrets. */
export function shownSettings(configuration: JobConfiguration, isSecret: IsSecret): JobConfigurationDto {
  return mapTexts(configuration, (name, value) => shownValue(name, value, isSecret));
}

/**
 * Settings as they are to be stored: what is still as it was shown stays as it was.
 * @returns the settings, and a problem for each in whose place asterisks would be stored
 */
export function storedSettings(
  given: Readonly<Record<string, unknown>>,
  before: JobConfiguration | undefined,
  isSecret: IsSecret,
): { readonly settings: Readonly<Record<string, unknown>>; readonly problems: readonly SettingProblem[] } {
  const stored = textsOf(before);
  const problems: SettingProblem[] = [];
  const settings = mapTexts(given, (setting, value) => {
    const was = stored.get(setting);
    const answer = givenBack(value, was, was === undefined ? undefined : shownValue(setting, was, isSecret));
    if ('value' in answer) return answer.value;
    problems.push(settingProblem(setting, answer.problem));
    return value;
  });
  return { settings, problems };
}

function textsOf(configuration: JobConfiguration | undefined): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (configuration !== undefined)
    mapTexts(configuration, (name, value) => {
      texts.set(name, value);
      return value;
    });
  return texts;
}

/** The settings with other texts, those of properties by `props.` and their names. */
function mapTexts<Settings extends object>(settings: Settings, to: (name: string, value: string) => string): Settings {
  const mapped = (prefix: string, values: object): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]: [string, unknown]) => {
        if (typeof value === 'string') return [name, to(prefix + name, value)];
        return [name, prefix === '' && name === 'props' && isMap(value) ? mapped('props.', value) : value];
      }),
    );
  return mapped('', settings) as Settings;
}
