import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Range,
  type Scalar,
} from 'yaml';

import { aliasTargets, parseYaml } from './yaml-document.js';
import { isNull, toBoolean, toInteger } from './yaml-scalars.js';

/**
 * Reads a YAML 1.1 document that is one mapping, as SnakeYAML fills a Java bean from it: the reader asks for types, and
 * the style of the scalars does not matter. JSON is such a document too. Unknown `!!` tags are accepted. Nothing is
 * thrown; values that cannot be read are added to `faults`. A value of nothing (`~`) counts as absent.
 *
 * YAML 1.1 ends a line at U+0085, U+2028 and U+2029 too. Each of them is read as a line feed, where SnakeYAML keeps the
 * latter two in the text.
 */
export class YamlMapping {
  /** The faults, each a clause that names the key and the value. */
  readonly faults: string[] = [];
  /** The text, with line feeds for all ends of lines. */
  readonly #source: string;
  readonly #document: Document;
  readonly #pairs = new Map<string, Pair<Node, Node | null>>();
  readonly #asked = new Set<string>();
  /** Made for the first alias. */
  #targets: ReadonlyMap<Alias, Node | undefined> | undefined;

  constructor(text: string) {
    this.#source = text.replaceAll(/[\u0085\u2028\u2029]/g, '\n');
    const { document, faults } = parseYaml(this.#source);
    this.#document = document;
    this.faults.push(...faults);
    if (this.faults.length === 0) this.#readPairs();
  }

  /** Keys that have not been read so far. */
  get unasked(): readonly string[] {
    return [...this.#pairs.keys()].filter((key) => !this.#asked.has(key));
  }

  text(key: string): string | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    return isScalar(node) ? this.#textOf(node) : this.#refuse(key, 'text', node);
  }

  /** An integer of 32 bits, quoted or not. */
  integer(key: string): number | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    const integer = isScalar(node) ? toInteger(this.#textOf(node)) : undefined;
    const fits = integer !== undefined && integer === BigInt.asIntN(32, integer);
    return fits ? Number(integer) : this.#refuse(key, 'an integer', node);
  }

  flag(key: string): boolean | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    const flag = isScalar(node) ? toBoolean(this.#textOf(node)) : undefined;
    return flag ?? this.#refuse(key, 'true or false', node);
  }

  list(key: string): readonly string[] {
    const node = this.#value(key);
    if (node === undefined || isEmptyCollection(node)) return [];
    const items = isSeq(node) ? node.items.map((item) => this.#resolve(item)) : [undefined];
    if (items.every((item) => isScalar(item))) return items.map((item) => this.#textOf(item));
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
        if (isScalar(name) && isScalar(value)) return [[this.#textOf(name), this.#normalised(value)]];
        if (value !== undefined) this.#refuse(`${key}.${isScalar(name) ? this.#textOf(name) : '?'}`, 'a text', value);
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
    if (node === undefined || isEmptyCollection(node)) return undefined;
    const [from, to, end] = rangeOf(node);
    if (isFlow(this.#document.contents)) return `${key}: ${this.#source.slice(from, to).replaceAll('\n', '\n  ')}\n`;
    const [start] = rangeOf(this.#pairs.get(key)?.key);
    const column = start - (this.#source.lastIndexOf('\n', start) + 1);
    const lines = this.#source.slice(start, end).replace(/(?<!\n)\n*$/, '\n');
    return lines.replaceAll(/\n( *)/g, (found, blanks: string) =>
      blanks.length < column ? found : `\n${blanks.slice(column)}`,
    );
  }

  #readPairs(): void {
    const { contents } = this.#document;
    if (!isMap<Node, Node | null>(contents)) {
      this.faults.push(contents === null ? 'the document is empty' : 'the document is not a mapping');
      return;
    }
    for (const pair of contents.items) {
      const key = this.#resolve(pair.key);
      const name = isScalar(key) ? this.#textOf(key) : String(key);
      if (name === '<<') this.faults.push('merge keys (<<) are not supported');
      // Of duplicates the last one counts, as in Java.
      this.#pairs.set(name, pair);
    }
  }

  #value(key: string): Node | undefined {
    this.#asked.add(key);
    return this.#resolve(this.#pairs.get(key)?.value);
  }

  /** The node itself or the target of the alias; `undefined` for nothing. */
  #resolve(node: unknown): Node | undefined {
    const target = isAlias(node) ? this.#targetOf(node) : node;
    if (isScalar(target)) return target.type === 'PLAIN' && isNull(String(target.value)) ? undefined : target;
    return isMap(target) || isSeq(target) ? target : undefined;
  }

  #targetOf(alias: Alias): Node | undefined {
    this.#targets ??= aliasTargets(this.#document);
    return this.#targets.get(alias);
  }

  #refuse(key: string, wanted: string, node: Node): undefined {
    const [start, end] = rangeOf(node);
    this.faults.push(`${key} must be ${wanted}, got ${JSON.stringify(this.#source.slice(start, end).slice(0, 100))}`);
    return undefined;
  }

  #textOf(scalar: Scalar): string {
    const text = String(scalar.value);
    return scalar.tag === 'tag:yaml.org,2002:binary' ? Buffer.from(text, 'base64').toString('utf8') : text;
  }

  #normalised(scalar: Scalar): string {
    const text = this.#textOf(scalar);
    if (scalar.type !== 'PLAIN' || scalar.tag !== undefined) return text;
    const integer = toInteger(text);
    return String(integer ?? toBoolean(text) ?? text);
  }
}

/** Offsets of a node: its start, the end of its value, and its end with the blanks and comments behind it. */
function rangeOf(node: Node | undefined): Range {
  // Stryker disable next-line all: every node of a document that was parsed has a range
  return node?.range ?? [0, 0, 0];
}

function isEmptyCollection(node: Node): boolean {
  return (isSeq(node) || isMap(node)) && node.items.length === 0;
}

function isFlow(node: unknown): boolean {
  return isMap(node) && node.flow === true;
}
