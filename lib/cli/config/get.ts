import { isMap } from '../../api/text/describe-value.js';
import { JobOptions } from '../../api/job/job-options.js';
import { settingsOf } from '../../api/settings/setting.js';
import { knownNames, relaxed, suggestion } from '../../api/text/nearest.js';
import { JobConfigurationAPI } from '../../operations/job-configuration-api.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { settingsYaml, shownSettings } from './settings-text.js';

/** `config get <job> [setting]`: the stored settings as YAML, or one of them. */
export async function getConfig(
  invocation: Invocation,
  jobName: string,
  setting: string | undefined,
): Promise<ExitCode> {
  const { output } = invocation;
  const { version, ...configuration } = await new JobConfigurationAPI(await invocation.registry()).getJobConfiguration(
    jobName,
  );
  const settings = shownSettings(configuration);
  if (setting !== undefined) {
    const value = valueOf(settings, setting, jobName);
    if (output.isJson) output.json(value);
    else output.text(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
  } else if (output.isJson) output.json({ jobName, version, ...settings });
  else output.text(settingsYaml(configuration));
  return EXIT.done;
}

function valueOf(settings: Readonly<Record<string, unknown>>, name: string, jobName: string): unknown {
  const { props, ...others } = settings;
  const flat = new Map(Object.entries(others));
  if (isMap(props)) for (const [key, value] of Object.entries(props)) flat.set(`props.${key}`, value);
  const key = flat.has(name) ? name : [...flat.keys()].find((each) => relaxed(each) === relaxed(name));
  if (key !== undefined) return flat.get(key);
  const known = [...settingsOf(JobOptions).keys()];
  if (name.startsWith('props.') || known.some((each) => relaxed(each) === relaxed(name)))
    throw new CommandError(
      EXIT.state,
      `Setting '${name}' of job '${jobName}' is not set${suggestion(name, flat.keys()) || '.'}`,
    );
  throw new CommandError(
    EXIT.usage,
    `There is no setting '${name}'${knownNames(name, [...known, ...flat.keys()]) || '.'}`,
  );
}
