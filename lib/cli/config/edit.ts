import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { JobConfigurationAPI } from '../../operations/job-configuration-api.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { storeConfig } from './set.js';
import { readSettingsYaml, settingsOnly, settingsYaml } from './settings-text.js';

const HEADER = (jobName: string, where: string): string =>
  `# The settings of job ${JSON.stringify(jobName)} in ${where}. Save and close to store them; leave the\n` +
  '# file as it is to change nothing. ****** stands for a secret: what is left so stays as it is.\n';

/** `config edit <job>`: the stored settings in an editor. */
export async function editConfig(invocation: Invocation, jobName: string, options: ChangeOptions): Promise<ExitCode> {
  const { terminal } = invocation.surroundings;
  if (!terminal.isInteractive)
    throw new CommandError(
      EXIT.notConfirmed,
      'An editor needs a terminal. Without one, use config set. Nothing was changed.',
    );
  const registry = await invocation.registry();
  const api = new JobConfigurationAPI(registry, invocation.operations);
  const before = await api.getJobConfiguration(jobName);
  const settings = settingsOnly(before);
  const text = HEADER(jobName, registry.description) + settingsYaml(settings);
  const file = join(await mkdtemp(join(tmpdir(), 'elasticjob-')), 'configuration.yaml');
  try {
    await writeFile(file, text, { mode: 0o600 });
    const after = await edited(invocation, { file, text, before: settings });
    const confirm = (): Promise<void> => invocation.confirm('Store these changes?', options);
    const exitCode = await storeConfig(invocation, { api, before, after, confirm, ...options });
    await rm(dirname(file), { recursive: true });
    return exitCode;
  } catch (error) {
    // The edited text must not be lost if another operator was faster, or the connection broke.
    if ((await readFile(file, 'utf8')) !== text) terminal.err.write(`The text that you edited is kept in ${file}\n`);
    else await rm(dirname(file), { recursive: true });
    throw error;
  }
}

/** Opens the editor until the text is valid or the person gives up. */
async function edited(
  invocation: Invocation,
  { file, text, before }: { readonly file: string; readonly text: string; readonly before: JobConfiguration },
): Promise<JobConfiguration> {
  const { terminal, environment } = invocation.surroundings;
  for (;;) {
    // One attempt after the other: each corrects the problems of the last one.
    await openEditor(environment, file);
    const now = await readFile(file, 'utf8');
    if (now === text) return before;
    try {
      return readSettingsYaml(now, before);
    } catch (error) {
      if (!(error instanceof InvalidConfigurationError)) throw error;
      terminal.err.write(`${error.message.trim()}\n`);
      const answer = await terminal.ask('Edit it again? [Y/n] ');
      if (answer === undefined || /^\s*n/i.test(answer)) throw error;
    }
  }
}

async function openEditor({ VISUAL, EDITOR }: Invocation['surroundings']['environment'], file: string): Promise<void> {
  const editor = VISUAL || EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  // As git does: the variable may hold options too, which a shell takes apart.
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawn('sh', ['-c', `${editor} "$@"`, 'sh', file], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new CommandError(EXIT.notConfirmed, `The editor (${editor}) has failed. Nothing was changed.`);
}
