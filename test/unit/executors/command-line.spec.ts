import { expect, test } from '@jest/globals';
import { parseCommandLine } from '../../../lib/executors/script/command-line.js';

test.each<[line: string, program: string, ...args: string[]]>([
  ['run', 'run'],
  ['  run   a  b ', 'run', 'a', 'b'],
  ['run a\tb', 'run', 'a\tb'],
  [`run "a b" 'c d'`, 'run', 'a b', 'c d'],
  [`run it"'"s 'say "hi"'`, 'run', `it's`, 'say "hi"'],
  [`run a"b c"d'e f'`, 'run', 'ab cde f'],
  [`run "" ''x ""`, 'run', '', 'x', ''],
  [String.raw`run a\ b \"c\"`, 'run', 'a\\', 'b', String.raw`\c\ `.trim()],
  ['run $HOME *.txt | sort > out', 'run', '$HOME', '*.txt', '|', 'sort', '>', 'out'],
  [`'my tools/run' x`, 'my tools/run', 'x'],
  [String.raw`bin\run.sh a\b c/d`, 'bin/run.sh', String.raw`a\b`, 'c/d'],
  ['日本 "北 京"', '日本', '北 京'],
])('%s', (line, program, ...args) => {
  expect(parseCommandLine(line, 'linux')).toEqual({ program, args });
});

test('on Windows, slashes in the name of the program are backslashes; those of arguments stay', () => {
  expect(parseCommandLine('bin/run.bat /c a/b', 'win32')).toEqual({ program: 'bin\\run.bat', args: ['/c', 'a/b'] });
});

test.each([
  ['', 'must begin with the program to run'],
  ['   ', 'must begin with the program to run'],
  ['"" a', 'must begin with the program to run'],
  [`run "a`, 'its quotes are unbalanced'],
  [`run it's`, 'its quotes are unbalanced'],
  [`run 'a" b`, 'its quotes are unbalanced'],
  ['run a\0b', 'must not contain the character U+0000'],
])('%j is refused: %s', (line, said) => {
  expect(parseCommandLine(line, 'linux')).toEqual({ problem: expect.stringContaining(said) });
});
