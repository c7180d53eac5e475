import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../support/program.js';

/** Entries that lib/ writes above `debug`: for each call of a logger, the longest fixed piece of its message. */
export function loggedPieces(): readonly string[] {
  const files = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  return [...new Set(files.flatMap((path) => piecesIn(readFileSync(join(root, 'lib', path), 'utf8'))))].sort();
}

/** The same of one source. Messages that are made elsewhere have no piece. */
export function piecesIn(source: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLogging(node.expression)) {
      const [message] = node.arguments;
      const longest = message && textsOf(message).sort((one, other) => other.length - one.length)[0];
      if (longest !== undefined) found.push(longest);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('', source, ts.ScriptTarget.ES2022, true));
  return found;
}

/** `logger.warn`, `this.#logger.error`, `this.#deps.logger.log`, `log.warn` */
function isLogging(callee: ts.Expression): boolean {
  return /(?:(?:^|[.#])(?:logger|log)\??\.(?:log|warn|error))$/.test(callee.getText());
}

/** The fixed pieces of a text. */
function textsOf(message: ts.Expression): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text.replace(/^[\s:;,.]+|[\s:;,.(]+$/g, ''));
    else if (!ts.isCallExpression(node)) ts.forEachChild(node, visit);
  };
  visit(message);
  return texts.filter((text) => /\w \w/.test(text));
}
