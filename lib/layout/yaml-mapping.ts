import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type Scalar } from 'yaml';

import { isNull, toBoolean, toInteger } from './yaml-scalars.js';

/**
 * Reads a YAML 1.1 document that is one mapping, as SnakeYAML fills a Java bean from it: the types are those asked for,
 * not those that the scalars look like. JSON is such a document too. Unknown `!!` tags are accepted. Nothing is thrown;
 * what cannot be read is added to `faults`. A value of nothing (`~`) counts as absent.
 */
export class YamlMapping {
  /** What is wrong, each a clause that names the key and the value. */
  readonly faults: string[] = [];
  readonly #source: string;
  readonly #document: Document;
  readonly #pairs = new Map<string, Pair<Node, Node | null>>();
  readonly #asked = new Set<string>();

  constructor(text: string) {
    this.#source = markSeparators(text);
    // With this schema all scalars are text, and the types are decided here.
    this.#document = parseDocument(this.#source, {
      version: '1.1',
      schema: 'failsafe',
      uniqueKeys: false,
      logLevel: 'error',
    });
    this.faults.push(...this.#document.errors.map(({ message }) => message.split('\n', 1).join('').replace(/:$/, '')));
    if (this.faults.length === 0) this.#readPairs();
  }

  /** Keys that have not been read so far. */
  get unasked(): readonly string[] {
    return [...this.#pairs.keys()].filter((key) => !this.#asked.has(key));
  }

  text(key: string): string | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    return isScalar(node) ? textOf(node) : this.#refuse(key, 'text', node);
  }

  /** An integer of 32 bits, quoted or not. */
  integer(key: string): number | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    const integer = isScalar(node) ? toInteger(textOf(node)) : undefined;
    const fits = integer !== undefined && integer === BigInt.asIntN(32, integer);
    return fits ? Number(integer) : this.#refuse(key, 'an integer', node);
  }

  flag(key: string): boolean | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    const flag = isScalar(node) ? toBoolean(textOf(node)) : undefined;
    return flag ?? this.#refuse(key, 'true or false', node);
  }

  list(key: string): readonly string[] {
    const node = this.#value(key);
    if (node === undefined || isEmptyCollection(node)) return [];
    const items = isSeq(node) ? node.items.map((item) => this.#resolve(item)) : [undefined];
    if (items.every((item) => isScalar(item))) return items.map((item) => textOf(item));
    return this.#refuse(key, 'a list of texts', node) ?? [];
  }

  /** A mapping of texts. Numbers and flags in it become text as in Java: `0x10` is `16`, `yes` is `true`. */
  texts(key: string): Readonly<Record<string, string>> {
    const node = this.#value(key);
    if (node === undefined || isEmptyCollection(node)) return {};
    if (!isMap(node)) return this.#refuse(key, 'a mapping of texts', node) ?? {};
    const entries = node.items.map((pair) => [this.#resolve(pair.key), this.#resolve(pair.value)] as const);
    return Object.fromEntries(
      entries.flatMap(([name, value]) => {
        if (isScalar(name) && isScalar(value)) return [[textOf(name), normalised(value)]];
        if (value !== undefined) this.#refuse(`${key}.${isScalar(name) ? textOf(name) : '?'}`, 'a text', value);
        return [];
      }),
    );
  }

  /**
   * The entry as it stands in the source, key and all, with a line end and starting in column 0, so that it can be put
   * into a document in block style; `undefined` if it is absent or empty.
   */
  verbatim(key: string): string | undefined {
    const node = this.#value(key);
    const start = this.#pairs.get(key)?.key.range?.[0];
    const range = node?.range;
    if (node === undefined || isEmptyCollection(node) || start === undefined || !range) return undefined;
    if (isFlow(this.#document.contents)) return `${key}: ${this.#cut(range[0], range[1]).replaceAll('\n', '\n  ')}\n`;
    const column = start - (this.#source.lastIndexOf('\n', start - 1) + 1);
    const lines = this.#cut(start, range[2]).replace(/\n*$/, '\n');
    return column === 0 ? lines : lines.replaceAll(`\n${' '.repeat(column)}`, '\n');
  }

  #readPairs(): void {
    const { contents } = this.#document;
    if (!isMap<Node, Node | null>(contents)) {
      this.faults.push(
        contents === null || this.#source.trim() === '' ? 'the document is empty' : 'the document is not a mapping',
      );
      return;
    }
    for (const pair of contents.items) {
      const key = this.#resolve(pair.key);
      const name = isScalar(key) ? textOf(key) : String(key);
      if (name === '<<') this.faults.push('merge keys (<<) are not supported');
      // Of duplicates the last one counts, as in Java.
      this.#pairs.set(name, pair);
    }
  }

  #value(key: string): Node | undefined {
    this.#asked.add(key);
    return this.#resolve(this.#pairs.get(key)?.value);
  }

  /** The node itself or what it is an alias of; `undefined` for nothing. */
  #resolve(node: unknown): Node | undefined {
    const target = isAlias(node) ? node.resolve(this.#document) : node;
    if (isScalar(target)) return target.type === 'PLAIN' && isNull(String(target.value)) ? undefined : target;
    return isMap(target) || isSeq(target) ? target : undefined;
  }

  #refuse(key: string, wanted: string, node: Node): undefined {
    const [start = 0, end = 0] = node.range ?? [];
    this.faults.push(`${key} must be ${wanted}, got ${JSON.stringify(this.#cut(start, end).slice(0, 100))}`);
    return undefined;
  }

  #cut(start: number, end: number): string {
    return this.#source.slice(start, end).replaceAll(AFTER_SEPARATOR, '');
  }
}

function textOf(scalar: Scalar): string {
  const text = String(scalar.value).replaceAll(AFTER_SEPARATOR, '');
  return scalar.tag === 'tag:yaml.org,2002:binary' ? Buffer.from(text, 'base64').toString('utf8') : text;
}

function normalised(scalar: Scalar): string {
  const text = textOf(scalar);
  if (scalar.type !== 'PLAIN' || scalar.tag !== undefined) return text;
  const integer = toInteger(text);
  return String(integer ?? (text.length > 1 ? toBoolean(text) : undefined) ?? text);
}

function isEmptyCollection(node: Node): boolean {
  return (isSeq(node) || isMap(node)) && node.items.length === 0;
}

function isFlow(node: unknown): boolean {
  return isMap(node) && node.flow === true;
}

/**
 * YAML 1.1 ends a line at U+0085, U+2028 and U+2029 too, and SnakeYAML writes literal blocks accordingly; the parser
 * knows only version 1.2's line ends. So the former becomes a line feed, as Java reads it, and the latter are given a
 * line feed of their own, with a mark (a noncharacter) by which it is taken away again.
 */
function markSeparators(text: string): string {
  return text.replaceAll('\u0085', '\n').replaceAll(/[\u2028\u2029]/g, '$&\ufdd0\n');
}

const AFTER_SEPARATOR = /\ufdd0\n?/g;
