import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root } from '../../../support/program.js';
import { type StoredNodes } from './java-trees.js';

/** The release whose words the fixtures of `test/unit/layout` have. */
export const RECORDED_RELEASE = '3.0.5';

/** Java's answer about a stored text. */
export interface Answer {
  readonly configuration?: Settings;
  /** The exception behind its refusal, such as `NumberFormatException: For input string: "3.0"`. */
  readonly cause?: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** Records how Java stores each configuration, and what it reads of that text if it is not the same. */
export function recordConfigurations(
  configurations: readonly object[],
  texts: readonly string[],
  answers: readonly Answer[],
): void {
  const entries = configurations.map((configuration, index) => {
    const read = settingsIn(answers[index]!);
    const isSame = isDeepStrictEqual(read, JSON.parse(JSON.stringify(configuration)));
    return { configuration, yaml: texts[index], ...(isSame ? {} : { read }) };
  });
  save('configurations', entries);
}

/**
 * Records what Java reads of each document, or the first line of why it refuses it.
 * @param plain its answer to a document with nothing but a name, `j`, and a number of items: its values for absent
 *   settings
 */
export function recordReadings(documents: readonly string[], answers: readonly Answer[], plain: Answer): void {
  const usual = settingsIn(plain);
  const isTold = ([key, value]: readonly [string, unknown]): boolean =>
    key === 'shardingTotalCount' || !isDeepStrictEqual(value, usual[key]);
  const entries = documents.map((yaml, index) => {
    const { cause } = answers[index]!;
    if (cause !== undefined) return { yaml, refused: cause.split('\n')[0] };
    return { yaml, reads: Object.fromEntries(Object.entries(settingsIn(answers[index]!)).filter(isTold)) };
  });
  save('readings', entries);
}

/** Records the nodes that Java leaves of the jobs of these configurations. */
export function recordTrees(configurations: readonly object[], nodes: StoredNodes): void {
  const lines = Object.entries(nodes).map(([path, node]) => `${JSON.stringify(path)}:${JSON.stringify(node)}`);
  write('trees', `{"configurations":${JSON.stringify(configurations)},"nodes":{\n${lines.join(',\n')}}}\n`);
}

/** Without the one setting of Java's that Node keeps apart. */
function settingsIn({ configuration = {} }: Answer): Settings {
  return Object.fromEntries(Object.entries(configuration).filter(([key]) => key !== 'jobExtraConfigurations'));
}

/** One entry a line. */
function save(name: string, entries: readonly object[]): void {
  write(name, `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`);
}

/** Characters that cannot be seen, or that Git takes for the end of a line, are written by their numbers. */
function write(name: string, text: string): void {
  const visible = text.replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(join(root, `test/unit/layout/fixtures/java-${RECORDED_RELEASE}-${name}.json`), visible);
}
