import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/program.js';
import { loggedPieces, piecesIn } from './log-entries.js';
import { tableAfter, textOf } from './pages/pages.js';

describe('the page on logging', () => {
  const page = textOf('docs/logging.md').replaceAll(/\s+/g, ' ');

  test('has every entry that is written above debug', () => {
    expect(loggedPieces().length).toBeGreaterThan(30);
    expect(loggedPieces().filter((piece) => !page.includes(piece.replace(/^' |^': /, '')))).toEqual([]);
  });

  test('has every event, with its level', () => {
    const source = readFileSync(join(root, 'lib/kernel/job/job-events.ts'), 'utf8');
    const events = new Set([...source.matchAll(/case '([a-z-]+)':/g)].map(([, event]) => event));
    const notices =
      readFileSync(join(root, 'lib/error-handlers/job-notifier.ts'), 'utf8').match(/(?<=')notice-[a-z]+(?=')/g) ?? [];
    const rows = tableAfter('docs/logging.md', '\n## Events\n').map(([event]) => event);

    expect(rows).toHaveLength(new Set(rows).size);
    expect(rows.sort()).toEqual(
      [
        ...events,
        ...new Set(notices),
        'ended',
        'removed',
        'failed',
        'firing-passed',
        'blocked',
        'impaired',
        'recovered',
      ].sort(),
    );
  });

  test.each([
    ['logger.warn(`could not begin all items: ${why}`)', ['could not begin all items']],
    ["this.#logger.log('an operator has ended it', { event: 'ended' })", ['an operator has ended it']],
    ['deps.logger.error(`${cause}. It is asked again.` + `Later`)', ['It is asked again']],
    ["logger.debug('not of interest here')", []],
    ['console.log("not a logger")', []],
  ])('is held against %s', (source, pieces) => {
    expect(piecesIn(source)).toEqual(pieces);
  });
});
