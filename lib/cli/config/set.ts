import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { repeated } from '../../api/text/repeated.js';
import { JobConfigurationAPI, type JobConfigurationPOJO } from '../../operations/job-configuration-api.js';
import { changedSettings } from '../../operations/changes/setting-changes.js';
import { contextOf } from '../change/context.js';
import { secretIn } from '../connection/settings-sources.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { changeColumns } from './changes-table.js';
import { settingsOnly, withChanges } from './settings-text.js';

/** Options of `config set`. */
export interface SetOptions extends Pick<ChangeOptions, 'reason'> {
  /** Names of settings to unset. */
  readonly unset?: readonly string[];
  /** Entries of the form `setting=file`, whose value is the text of the file. */
  readonly fromFile?: readonly string[];
  /** True only shows the changes. */
  readonly dryRun?: boolean;
}

/** `config set <job> <setting=value…>`: changes stored settings. */
export async function setConfig(
  invocation: Invocation,
  {
    jobName,
    assignments,
    ...options
  }: SetOptions & { readonly jobName: string; readonly assignments: readonly string[] },
): Promise<ExitCode> {
  const changes = changesFrom(invocation, assignments, options);
  if (changes.size === 0)
    throw new CommandError(EXIT.usage, "Give settings and values: config set syncOrders cron='0 0 3 * * ?'.");
  const api = new JobConfigurationAPI(await invocation.registry(), invocation.operations);
  const before = await api.getJobConfiguration(jobName);
  const after = withChanges(settingsOnly(before), changes);
  return storeConfig(invocation, { api, before, after, ...options });
}

/** A stored configuration and its replacement. */
export interface ConfigChange extends Pick<ChangeOptions, 'reason'> {
  readonly api: JobConfigurationAPI;
  readonly before: JobConfigurationPOJO;
  readonly after: JobConfiguration;
  readonly dryRun?: boolean;
  /** Asks for confirmation after the changes are shown. Default: the changes are stored without asking. */
  readonly confirm?: () => Promise<void>;
}

/** Shows the changes, and stores them if the stored configuration is still the one that was read. */
export async function storeConfig(
  invocation: Invocation,
  { api, before, after, dryRun = false, confirm, ...options }: ConfigChange,
): Promise<ExitCode> {
  const { output } = invocation;
  const { version } = before;
  const changes = changedSettings(settingsOnly(before), after);
  const listing = { rows: changes, columns: changeColumns('BEFORE', 'AFTER'), empty: 'Nothing changes.' };
  if (!output.isJson) output.list(listing, changes);
  const isStored = changes.length > 0 && !dryRun;
  if (isStored) {
    await confirm?.();
    await api.updateJobConfiguration({ ...after, version }, contextOf(options));
    output.note(`Stored as version ${version + 1}. Running instances take it up at once.`);
  }
  if (output.isJson)
    output.json({ jobName: before.jobName, changes, version: version + Number(isStored), record: invocation.record });
  return EXIT.done;
}

function changesFrom(
  { surroundings }: Invocation,
  assignments: readonly string[],
  { unset = [], fromFile = [] }: Pick<SetOptions, 'unset' | 'fromFile'>,
): ReadonlyMap<string, string | undefined> {
  const given = [...assignments.map(assignment), ...fromFile.map(assignment)];
  const names = [...given.map(([name]) => name), ...unset];
  const [twice] = repeated(names);
  if (twice !== undefined) throw new CommandError(EXIT.usage, `The setting '${twice}' is given twice. Give it once.`);
  return new Map([
    ...assignments.map(assignment),
    ...fromFile.map(assignment).map(([name, file]) => [name, secretIn(file, surroundings)] as const),
    ...unset.map((name) => [name, undefined] as const),
  ]);
}

function assignment(text: string): readonly [name: string, value: string] {
  const [, name, value = ''] = /^([^=]+)=([^]*)$/.exec(text) ?? [];
  if (name === undefined)
    throw new CommandError(EXIT.usage, `'${text}' must be a setting and its value, such as shardingTotalCount=4.`);
  return [name, value];
}
