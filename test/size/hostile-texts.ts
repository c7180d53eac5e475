/**
 * Texts that readers find hard: short pieces that a reader's grammar knows, again and again, as long as a node of the
 * registry may well be. A reader that looks at a character more than a few times, or recurses as deep as a text is
 * nested, shows it here.
 */

/** How long each text is, in characters. */
export const HOSTILE_LENGTH = 100_000;

/** Blanks and ends of lines, alone and beside other characters. */
const BLANKS = [' ', '\t', '\n', '\r', '\r\n', ' \n', '\u0085', '\u2028', ' \u2029', '\0', '\u00a0', 'a ', ' a', 'a\n'];

/** Single characters: those with a meaning in some grammar, and one of each other kind. */
const CHARACTERS = [...`a0L-+.,;:/=?&*#%@!|>~\`$_^"'\\()[]{}<é€😀`, '\ud800'];

/** Texts of YAML. */
const YAML = [
  ...[
    'a: ',
    ': ',
    'a: b\n',
    'a:\n ',
    '- ',
    '- a\n',
    '? ',
    '&a ',
    '*a ',
    '!!a ',
    '[a,',
    '{a: ',
    '[]',
    '{}',
    '# \n',
    ' #',
  ],
  ...[
    '""',
    "''",
    '\\"',
    '"a',
    "'a",
    '" ',
    " '",
    '\\ ',
    '\\\n',
    '| \n',
    'a\n ',
    'a \n',
    '---\n',
    '%a ',
    '<<: *a\n',
    '"\\u0041',
  ],
];

/** Texts of ranges, item parameters, our records and properties. */
const RECORDS = [
  ...['0-99999,', '1,', ',1', '1-', '0-1,', '1 ', '1=2,', '=,', '=', 'a=b&', 'a=b,', '1\n', '0: 1\n', 'manual: 0\n'],
  ...[
    'returned 0: 1\n',
    '1/a started 0\n',
    'dropped 1:0 ',
    'dropped 1\n',
    'hand-1/a\n',
    '@-@',
    'a@-@',
    '{"items":"',
    '{"a":',
  ],
  ...['a.', 'a[', '[0]', '[0].', 'A_', '__proto__.', '${', '${a}', '${a:', '\\u0041', '1e', '0x', '0_', '1:'],
];

/** Texts of addresses, host lists and lists of names. */
const ADDRESSES = [
  '//',
  '::',
  '//:',
  ':/',
  '1.',
  '1.1.1.1 ',
  'f:',
  '::1 ',
  '[::1]:1,',
  'a:1,',
  '//a:b@',
  '//a:',
  '//@',
  'http://',
  '%a',
];

/** Texts of cron expressions and time zones. */
const CRON = [
  '*/',
  '1/1',
  '1/1,',
  '1-1,',
  'MON,',
  'MON-',
  'MON#1,',
  '1W,',
  '1L ',
  '* ',
  '0 ',
  '@every ',
  'GMT+',
  '0/1 ',
];

/** Texts of masks, messages and markup. */
const WORDS = [
  ...[
    'password',
    'password: ',
    'password=',
    'password: "',
    "password: '",
    'password: |\n ',
    'secret.',
    'token',
    '-.',
    'api-key',
  ],
  ...[
    '\n  at a (b)',
    'Error: ',
    '\u001b[31m',
    '<a ',
    '</a>',
    '<head ',
    'Bearer ',
    'a; ',
    'a=";',
    'qop="a",',
    '--a ',
    '-a',
  ],
];

const PIECES: readonly string[] = [...BLANKS, ...CHARACTERS, ...YAML, ...RECORDS, ...ADDRESSES, ...CRON, ...WORDS];

/** Lists in which all entries are different: they may be compared with one another. */
const NUMBERED: readonly ((number: number) => string)[] = [
  (number) => `k${number}: 1\n`,
  (number) => `- &k${number} a\n`,
  (number) => `${number}=a,`,
  (number) => `${number},`,
  (number) => `${number}: ${number}\n`,
  (number) => `k${number}=a\n`,
  (number) => `"k${number}":1,`,
  (number) => `1.1.${number >> 8}.${number & 255},`,
];

/** The end of a text can make a reader take back everything that it has read. */
const ENDS = ['', 'x!'];

/** A text that readers find hard, of any length. */
export interface HostileText {
  /** The pieces of the text. */
  readonly name: string;
  readonly of: (length: number) => string;
}

/** @param starts lead a reader further, into what it expects */
export function hostileTexts(starts: readonly string[] = []): readonly HostileText[] {
  const numbered = ['', '{'].flatMap((start) =>
    NUMBERED.map((entry) => ({
      name: JSON.stringify(`${start}${entry(0)}${entry(1)}…`),
      of: (length: number) =>
        (start + Array.from({ length: length / entry(0).length }, (_, n) => entry(n)).join('')).slice(0, length),
    })),
  );
  const repeated = ['', ...starts].flatMap((start) =>
    ENDS.flatMap((end) =>
      PIECES.map((piece) => ({
        name: JSON.stringify(`${start}${piece}${piece}…${end}`),
        of: (length: number) => (start + piece.repeat(length / piece.length)).slice(0, length - end.length) + end,
      })),
    ),
  );
  return [...repeated, ...numbered];
}
