import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { play } from './runner/play.js';
import { parseScenario, printScenario } from './runner/scenario-file.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll(sep, '/'))
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

  test('stand in folders by topic', () => {
    expect(files.filter((name) => !name.includes('/'))).toEqual([]);
    expect(files.length).toBeGreaterThanOrEqual(100);
  });
});

describe('the runner', () => {
  const playText = (lines: readonly string[]) => play(parseScenario(`# a scenario\n\n${lines.join('\n')}\n`));

  test('tells what happened, instant by instant', async () => {
    const { file } = await playText(['job bill shards=1', 'join A', 'fire']);

    expect(file.blocks[0]?.transcript).toEqual([
      '00:00:00  A stored the configuration · A joined · A leads · A requested an assignment · items 0→A',
      '00:00:05  A ran 0',
    ]);
  });

  test('complains of what is in progress or left behind at the end', async () => {
    const { complaints } = await playText([
      'job bill shards=1',
      'join A',
      'fire hold=0',
      'plant sharding/0/odd value={A}',
    ]);

    expect(complaints).toEqual([
      'at the end: 0@A is still in progress',
      'at the end: left behind: sharding/0/running = A',
      'at the end: left behind: sharding/0/odd = A',
    ]);
  });

  test('complains if a scenario does not end as it says', async () => {
    const { complaints } = await playText(['job bill', 'join A', 'ends-with nobody leads']);

    expect(complaints).toEqual(['at the end it is not so: nobody leads']);
  });

  test('complains of an item that two instances run at once', async () => {
    const { complaints, file } = await playText([
      'job bill shards=1',
      'join A B',
      'fire hold=0',
      'remove sharding/0/running',
      'disable B',
      'fire',
      'release 0',
    ]);

    expect(complaints).toContain('A began item 0 of bill while B ran it');
    expect(file.blocks[0]?.transcript.join('\n')).toContain('‼ A began item 0 of bill while B ran it');
  });

  test.each([
    ['join A', 'A scenario begins with a job'],
    ['job bill colour=red', "'colour' is no setting, in: job bill colour=red"],
    ['job bill\nburn A', "There is no command 'burn', in: burn A"],
  ])('refuses %j', async (text, message) => {
    await expect(playText(text.split('\n'))).rejects.toThrow(message);
  });
});
