/** Entries on their way to the user's logger. */
import { describe, expect, test } from '@jest/globals';
import { type JobLogger, type LogEntry } from '../../../lib/api/text/logger.js';
import { writeEntry } from '../../../lib/api/text/log-entry.js';
import { until } from '../../support/until.js';

const WARNING = { level: 'warn', message: 'm', jobName: undefined, instance: 'A' } as const;
const quiet = (): void => undefined;
const silent = { debug: quiet, log: quiet, warn: quiet, error: quiet };

describe('an entry', () => {
  test('is handed over whole to a logger that takes entries, with its context', () => {
    const entries: LogEntry[] = [];
    const logger: JobLogger = { ...silent, write: (entry) => entries.push(entry) };

    writeEntry(logger, { ...WARNING, jobName: 'bill' });
    writeEntry(logger, { ...WARNING, level: 'log', message: 'n' });

    expect(entries).toEqual([
      { ...WARNING, jobName: 'bill', context: 'ElasticJob:bill' },
      { ...WARNING, level: 'log', message: 'n', context: 'ElasticJob' },
    ]);
  });

  test('is handed over without the secrets in its message and its stack', () => {
    const entries: LogEntry[] = [];
    const logger: JobLogger = { ...silent, write: (entry) => entries.push(entry) };

    writeEntry(logger, { ...WARNING, message: 'run with --password=s3cret', stack: 'Error: https://a:s3cret@h/' });

    expect(entries).toMatchObject([{ message: 'run with --password=******', stack: 'Error: https://******@h/' }]);
  });

  test('is handed over as its message, and its stack if it has one, by the method of its level', () => {
    const calls: unknown[] = [];
    const logger: JobLogger = {
      ...silent,
      warn: (...args: unknown[]) => calls.push(['warn', ...args]),
      error: (...args: unknown[]) => calls.push(['error', ...args]),
    };

    writeEntry(logger, WARNING);
    writeEntry(logger, { ...WARNING, level: 'error', message: 'n', stack: 'at a' });

    expect(calls).toEqual([
      ['warn', 'm'],
      ['error', 'n', 'at a'],
    ]);
  });
});

test('a logger that fails, at once or later, hurts nobody: a warning of the process says so, then one for a thousand', async () => {
  const warnings: string[] = [];
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, type?: unknown) =>
    void warnings.push(`${String(type)}: ${String(warning)}`);
  const failing: JobLogger = {
    ...silent,
    error: () => {
      throw new Error('disk full');
    },
    // A promise, though the interface has none: loggers written in JavaScript return what they like.
    warn: (): unknown => Promise.reject(new Error('disk full')),
  };
  try {
    writeEntry(failing, WARNING);
    await until(() => warnings.length === 1);
    for (let entry = 0; entry < 1_000; entry++) writeEntry(failing, { ...WARNING, level: 'error' });
    await until(() => warnings.length === 2);
  } finally {
    process.emitWarning = emitWarning;
  }

  expect(warnings).toEqual([
    'ElasticJobWarning: A logger failed; its entries are lost: Error: disk full',
    'ElasticJobWarning: A logger failed; 1001 entries are lost so far: Error: disk full',
  ]);
});
