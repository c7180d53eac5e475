import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { describeCause } from '../../api/text/describe-cause.js';
import { readSettingsFile } from '../../settings/files/settings-file.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type CommonOptions, type Surroundings } from '../surroundings.js';

/** Files that are read if they exist and no file is named. */
const USUAL_FILES = ['elasticjob.yaml', 'elasticjob.yml', 'elasticjob.properties'];

/** The sources that the application reads too: the file of settings and the environment. */
export interface SettingsFound {
  /** Path of the file; `undefined` if there is none. */
  readonly path: string | undefined;
  /** The section `elasticjob` of the file, unchecked. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the file of settings and the environment. Variables of the process win over those of `--settings-env`.
 * @throws InvalidConfigurationError if the file of settings cannot be read
 * @throws CommandError if the file of variables cannot be read
 */
export function settingsFound(
  options: Pick<CommonOptions, 'config' | 'settingsEnv'>,
  surroundings: Pick<Surroundings, 'directory' | 'environment'>,
): SettingsFound {
  const path = settingsPath(options, surroundings);
  const all = environmentFound(options, surroundings);
  return { path, file: path === undefined ? {} : readSettingsFile(path, all), environment: all };
}

/**
 * The environment, and the variables of the file of `--settings-env`.
 * @throws CommandError if the file cannot be read
 */
export function environmentFound(
  { settingsEnv }: Pick<CommonOptions, 'settingsEnv'>,
  { directory, environment }: Pick<Surroundings, 'directory' | 'environment'>,
): SettingsFound['environment'] {
  const variables = settingsEnv === undefined ? {} : parseEnv(textOf(resolve(directory, settingsEnv)));
  return { ...variables, ...environment };
}

/** Path of the file of settings: the one that is named, else the usual one; `undefined` if there is none. */
export function settingsPath(
  { config }: Pick<CommonOptions, 'config'>,
  { directory }: Pick<Surroundings, 'directory'>,
): string | undefined {
  if (config !== undefined) return resolve(directory, config);
  return USUAL_FILES.map((name) => resolve(directory, name)).find((path) => existsSync(path));
}

/** The secret that a file holds, without the line break at its end. @throws CommandError if the file cannot be read */
export function secretIn(file: string, { directory }: Pick<Surroundings, 'directory'>): string {
  return textOf(file === '' ? file : resolve(directory, file)).replace(/\r?\n$/, '');
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { message: why = describeCause(cause) } = cause as { readonly message?: string };
    throw new CommandError(EXIT.usage, `File '${path}' could not be read: ${why}`, { cause });
  }
}
