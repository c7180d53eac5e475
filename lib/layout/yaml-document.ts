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

/** What the parser has made of a text. */
export interface ParsedYaml {
  /** Without content if it cannot be read. */
  readonly document: Document;
  /** What is wrong, each with its place; the first ones of many. */
  readonly faults: readonly string[];
}

/** As SnakeYAML, which refuses texts that are nested deeper. Reading them takes a call within a call for each level. */
const DEEPEST = 50;

/** Who mends a text needs no more of them at once. */
const MOST_FAULTS = 5;

/** With this schema all scalars are text: the types are decided by whoever asks for them. */
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  schema: 'failsafe',
  uniqueKeys: false,
  keepSourceTokens: true,
  prettyErrors: false,
};

/** Parses a YAML 1.1 document that anybody may have written: its cost depends on its length, and not on its content. Never throws. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `at line ${line}, column ${col}`;
  };
  const { tokens, tooDeepAt } = tokensOf(text, lines);
  if (tooDeepAt !== undefined) {
    const fault = `Collections are nested deeper than ${DEEPEST} levels ${place(tooDeepAt)}`;
    return { document: composed([], text.length).document, faults: [fault] };
  }
  const { document, second } = composed(tokens, text.length);
  const faults = document.errors.slice(0, MOST_FAULTS).map(({ message, pos: [at] }) => `${message} ${place(at)}`);
  if (second !== undefined) faults.push(`There are several documents; the second one begins ${place(second.range[0])}`);
  return { document, faults };
}

interface Tokens {
  readonly tokens: readonly CST.Token[];
  /** Where collections are nested too deep; then there may be more tokens. */
  readonly tooDeepAt: number | undefined;
}

/** Up to what shows that the text cannot be read. */
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
    // On the stack is what is open: a document, and all collections in it.
    if (parser.stack.length > DEEPEST + 1) return { tokens, tooDeepAt: parser.offset };
    if (faults >= MOST_FAULTS) break;
  }
  tokens.push(...parser.end());
  return { tokens, tooDeepAt: undefined };
}

function composed(
  tokens: Iterable<CST.Token>,
  length: number,
): { readonly document: Document.Parsed; readonly second: Document.Parsed | undefined } {
  const [document, second] = new Composer(OPTIONS).compose(tokens, true, length);
  // Without any, the composer makes an empty one.
  return { document: document as Document.Parsed, second };
}

/** What each alias of a document stands for; none if there is nothing before it. */
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
