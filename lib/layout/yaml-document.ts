import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  type DocumentOptions,
  Lexer,
  LineCounter,
  type Node,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  visit,
} from 'yaml';

/** Result of parsing a text. */
export interface ParsedYaml {
  /** Without content if it cannot be read. */
  readonly document: Document;
  /** The faults, each with its place; the first ones of many. */
  readonly faults: readonly string[];
}

/** As SnakeYAML, which refuses texts that are nested deeper. Reading them takes a call within a call for each level. */
const DEEPEST = 50;

/** The author of a text needs no more faults at once. */
const MOST_FAULTS = 5;

/** With this schema all scalars are text: the reader decides the types. */
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  schema: 'failsafe',
  uniqueKeys: false,
  prettyErrors: false,
};

/**
 * Parses a YAML 1.1 document that anybody may have written: its cost depends on its length, and not on its content.
 * Never throws.
 */
export function parseYaml(text: string): ParsedYaml {
  const { document, second, tooDeepAt, place } = composedYaml(text, OPTIONS);
  if (tooDeepAt !== undefined) return { document, faults: [`${TOO_DEEP} ${place(tooDeepAt)}`] };
  const faults = document.errors.slice(0, MOST_FAULTS).map(({ message, pos: [at] }) => `${message} ${place(at)}`);
  if (second !== undefined) faults.push(`There are several documents; the second one begins ${place(second)}`);
  return { document, faults };
}

/** A parsed text. */
export interface ComposedYaml {
  /** Without content if the text is nested too deep. */
  readonly document: Document.Parsed;
  /** Offset at which a second document begins, if there are several. */
  readonly second: number | undefined;
  /** Offset at which collections are nested too deep, if they are. */
  readonly tooDeepAt: number | undefined;
  /** `at line 3, column 7` */
  readonly place: (offset: number) => string;
}

/** The message about the place that `tooDeepAt` points to. */
export const TOO_DEEP = `Collections are nested deeper than ${DEEPEST} levels`;

/**
 * Parses a document with any options. Its cost depends on the length of the text, and not on its content. Never throws.
 */
export function composedYaml(text: string, options: ParseOptions & DocumentOptions & SchemaOptions): ComposedYaml {
  const lines = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `at line ${line}, column ${col}`;
  };
  const { tokens, tooDeepAt } = tokensOf(text, lines);
  const [document, second] = new Composer(options).compose(tooDeepAt === undefined ? tokens : [], true, text.length);
  // Without any, the composer makes an empty one.
  return { document: document as Document.Parsed, second: second?.range[0], tooDeepAt, place };
}

interface Tokens {
  readonly tokens: readonly CST.Token[];
  /** Offset at which collections are nested too deep; then there may be more tokens. */
  readonly tooDeepAt: number | undefined;
}

/** The tokens of a text, up to those that show that it cannot be read. */
function tokensOf(text: string, lines: LineCounter): Tokens {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let faults = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') faults++;
    }
    // The stack has the open nodes: a document, and all collections in it.
    if (parser.stack.length > DEEPEST + 1) return { tokens, tooDeepAt: parser.offset };
    if (faults >= MOST_FAULTS) break;
  }
  tokens.push(...parser.end());
  return { tokens, tooDeepAt: undefined };
}

/** The target of each alias of a document; none if there is no such node before it. */
export function aliasTargets(document: Document): ReadonlyMap<Alias, Node | undefined> {
  const targets = new Map<Alias, Node | undefined>();
  const anchored = new Map<string, Node>();
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) targets.set(node, anchored.get(node.source));
      else if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
  });
  return targets;
}
