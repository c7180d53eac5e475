/** Hides secrets in a job's settings as asterisks, and keeps stored secrets where asterisks are sent back. */
import { isMap } from '../../../api/text/describe-value.js';
import { isSecretName } from '../../../api/text/secret-names.js';
import { givenBack, shownValue } from '../../../api/text/secrets.js';
import { type JobConfiguration } from '../../../api/job/job-configuration.js';
import { type SettingProblem } from '../../contract/common.js';
import { settingProblem } from '../../answers/setting-problem.js';
import { type JobConfigurationDto } from '../../contract/jobs.js';

/** True if the value of a setting, a property or a field of that name is hidden. */
export type IsSecret = (name: string) => boolean;

/** The settings with parameters of the application. */
const PARAMETERS = ['jobParameter', 'shardingItemParameters'];

/** The rule that hides settings from the console's users. @param hidesParameters the option `hideParameters` */
export function secretsOf(hidesParameters: boolean): IsSecret {
  return hidesParameters ? (name) => PARAMETERS.includes(name) || isSecretName(name) : isSecretName;
}

/** A job's settings without secrets. */
export function shownSettings(configuration: JobConfiguration, isSecret: IsSecret): JobConfigurationDto {
  return mapTexts(configuration, (name, value) => shownValue(name, value, isSecret));
}

/**
 * Settings to store: a value that equals its masked form is unchanged.
 * @returns the settings, and a problem for each setting in which asterisks would be stored
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

/** Replaces all texts of the settings; the name of a property is given with `props.` before it. */
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
