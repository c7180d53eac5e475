import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { shownValue } from '../../api/text/secrets.js';

/** The old and the new value of a setting, as text; `undefined` if the setting was not, or is not, set. */
export interface SettingChange {
  readonly setting: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The settings in which two configurations differ, each property by itself. Secrets are hidden. */
export function changedSettings(
  before: JobConfiguration | undefined,
  after: JobConfiguration | undefined,
): readonly SettingChange[] {
  const [was, is] = [textsOf(before), textsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((setting) => was.get(setting) !== is.get(setting))
    .sort()
    .map((setting) => ({
      setting,
      before: shown(setting, was.get(setting)),
      after: shown(setting, is.get(setting)),
    }));
}

function textsOf(configuration: JobConfiguration | undefined): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (configuration === undefined) return texts;
  const { props, ...settings } = configuration;
  for (const [name, value] of Object.entries(settings) as [string, unknown][])
    texts.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  for (const [name, value] of Object.entries(props)) texts.set(`props.${name}`, value);
  return texts;
}

function shown(setting: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : shownValue(setting, value);
}
