import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidConfigurationError } from '../../api/errors/errors.js';

/**
 * Reads a file of settings as text.
 * @param file absolute, or relative to the working directory of the process
 * @throws InvalidConfigurationError, naming the file, if it cannot be read or is no text in UTF-8
 */
export function readTextFile(file: string): string {
  const bytes = bytesOf(file);
  const text = decoded(bytes) ?? '\0';
  if (!text.includes('\0')) return text;
  throw fileRefusal(file, 'must be a text in UTF-8, but has bytes of another encoding; save it as UTF-8');
}

/** An error about a file. */
export function fileRefusal(file: string, what: string, cause?: unknown): InvalidConfigurationError {
  return new InvalidConfigurationError([`Configuration file '${file}' ${what}`], { cause });
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(resolve(file));
  } catch (error) {
    throw fileRefusal(file, `could not be read: ${(error as Error).message}`, error);
  }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
