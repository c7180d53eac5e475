import { describe, expect, test } from '@jest/globals';
import { invocationOf } from '../../../lib/executors/script/windows-batch.js';

const lineOf = (program: string, ...args: string[]): string | undefined =>
  invocationOf({ program, args }, 'win32', 'C:\\cmd.exe').args.at(-1);

describe('a command', () => {
  test.each<[NodeJS.Platform, string]>([
    ['linux', 'run.bat'],
    ['darwin', 'run.cmd'],
    ['win32', 'run.exe'],
    ['win32', 'cmd'],
    ['win32', 'run.bat.exe'],
  ])('on %s is run as it is: %s', (platform, program) => {
    const command = { program, args: ['a b', '%PATH%'] };

    expect(invocationOf(command, platform)).toEqual({ ...command, windowsVerbatimArguments: false });
  });

  test.each(['run.bat', 'C:\\my jobs\\RUN.CMD', 'run.bat. ', 'run.cmd...'])(
    'on Windows is run by cmd.exe if it is a batch file: %s',
    (program) => {
      expect(invocationOf({ program, args: [] }, 'win32', 'C:\\cmd.exe')).toEqual({
        program: 'C:\\cmd.exe',
        args: ['/d', '/e:on', '/v:off', '/s', '/c', `""${program}""`],
        windowsVerbatimArguments: true,
      });
    },
  );
});

describe('an argument of a batch file', () => {
  test.each([
    ['plain', 'a', '"a"'],
    ['empty', '', '""'],
    ['with a space', 'a b', '"a b"'],
    ['with operators', 'a&calc|b>c<d^e(f)', '"a&calc|b>c<d^e(f)"'],
    ['with a quote', 'a"&calc', '"a""&calc"'],
    ['with a quote after backslashes', 'a\\\\"b', '"a\\\\\\\\""b"'],
    ['with backslashes', 'C:\\a b\\c', '"C:\\a b\\c"'],
    ['that ends with a backslash', 'C:\\a\\', '"C:\\a\\\\"'],
    ['with a variable', '%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
    ['with line breaks', 'a\r\nb\nc', '"a b c"'],
    ['of JSON', '{"a":"b\\"c"}', '"{""a"":""b\\\\""c""}"'],
  ])('%s never leaves its quotes', (_, argument, quoted) => {
    expect(lineOf('run.bat', argument)).toBe(`""run.bat" ${quoted}"`);
  });
});
