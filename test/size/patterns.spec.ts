/**
 * Every pattern of lib/ reads hostile texts in a time that grows as the texts do. A lint rule judges patterns by their
 * form; this measures them, on texts made of the characters and words that the pattern itself knows.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { root } from '../support/program.js';
import { leastProcessorMs, processorMsOf } from './processor-time.js';

/**
 * A pattern that looks at each character a few times needs far less than a millisecond; one with the square, some tens.
 */
const LENGTH = 8_000;
const MOST_MS = 25;

/** Characters of the classes that patterns are made of. */
const CLASSES = ['a', 'A', '0', ' ', '\n', '_', '-', '.', ':', '"', '\\', '/', '\u00e9'];
const ENDS = ['', '\0!'];

interface Pattern {
  readonly where: string;
  /** `undefined` if it is known only when the program runs. */
  readonly pattern: RegExp | undefined;
}

/** The literals of a file of TypeScript, or of the scripts of a component. */
function patternsIn(where: string, source: string): readonly Pattern[] {
  const found: Pattern[] = [];
  const file = ts.createSourceFile(where, source, ts.ScriptTarget.ES2022, true);
  const look = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ where, pattern: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) });
    }
    if (ts.isNewExpression(node) && node.expression.getText(file) === 'RegExp')
      found.push({ where, pattern: evaluated(node.getText(file)) });
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

/** The pattern that an expression makes of texts alone. */
function evaluated(expression: string): RegExp | undefined {
  try {
    const made = runInNewContext(`const made = ${expression}; [made.source, made.flags]`) as readonly string[];
    return new RegExp(made[0] ?? '', made[1]);
  } catch (error) {
    if ((error as Error).name === 'ReferenceError') return undefined;
    throw error;
  }
}

const lib = join(root, 'lib');
const patterns = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(ts|vue)$/.test(file))
  .flatMap((file) => {
    const source = readFileSync(join(lib, file), 'utf8');
    const scripts = file.endsWith('.vue')
      ? [...source.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, text]) => text!)
      : [source];
    return scripts.flatMap((script) => patternsIn(file, script));
  });

/** Texts of what the pattern itself knows, one piece and two pieces in turn, again and again. */
function hostileTo({ source }: RegExp): readonly string[] {
  const words = source.replaceAll(/\\[a-zA-Z]|\\/g, '').match(/[a-zA-Z-]{2,}|[^\w\s]/g) ?? [];
  const pieces = [...new Set([...words.slice(0, 12), ...CLASSES])];
  const first = words[0] ?? '';
  const pairs = pieces.slice(0, 6).flatMap((one) => pieces.slice(0, 6).map((other) => one + other));
  return [...pieces, ...pairs].flatMap((piece) =>
    ENDS.map((end) => first + piece.repeat(Math.ceil(LENGTH / piece.length)) + end),
  );
}

/** The text on which the time of a pattern grows as the square of the length; `undefined` if there is none. */
async function slowTextOf(pattern: RegExp): Promise<string | undefined> {
  const everywhere = new RegExp(pattern.source, pattern.sticky || pattern.global ? pattern.flags : `${pattern.flags}g`);
  for (const text of hostileTo(pattern)) {
    const measure = (): Promise<number> => processorMsOf(() => text.replace(everywhere, ''));
    if ((await measure()) > MOST_MS && (await leastProcessorMs(MOST_MS, measure)) > MOST_MS) return text.slice(0, 40);
  }
  return undefined;
}

/** Patterns that users give for texts that are their own. */
const OF_USERS = ['layout/job-instance.ts'];

test('each pattern is known before the program runs, unless a user gives it', () => {
  const unknown = patterns.filter(({ pattern }) => pattern === undefined).map(({ where }) => where);

  expect(unknown).toEqual(OF_USERS);
});

test('no pattern takes time that grows as the square of a text', async () => {
  const slow: string[] = [];
  for (const { where, pattern } of patterns) {
    if (pattern === undefined) continue;
    const text = await slowTextOf(pattern);
    if (text !== undefined) slow.push(`${where} ${String(pattern)} on ${JSON.stringify(text)}…`);
  }

  expect(patterns.length).toBeGreaterThan(150);
  expect(slow).toEqual([]);
});

test('a pattern whose time does is noticed', async () => {
  const [found] = patternsIn('a.ts', "const spaces = new RegExp('\\\\s' + '+$');");

  expect(await slowTextOf(found!.pattern!)).toBeDefined();
});
