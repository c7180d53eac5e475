import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { play } from './play.js';
import { parseScenario, printScenario } from './scenario-file.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .sort();

describe('scenarios; UPDATE=1 writes down what happens', () => {
  test.each(files)('%s', async (name) => {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');

    const { file, complaints } = await play(parseScenario(text));

    const actual = printScenario(file);
    if (process.env['UPDATE'] === '1') writeFileSync(path, actual);
    expect(complaints).toEqual([]);
    expect(actual).toBe(readFileSync(path, 'utf8'));
  });

  test('are many, and each says what it shows', () => {
    expect(files.length).toBeGreaterThanOrEqual(40);
  });
});
