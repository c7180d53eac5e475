import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from '../../support/program.js';
import { type CodeBlock, codeBlocks, pages } from './pages.js';

const entries = JSON.parse(readFileSync(join(root, '.config/entries.json'), 'utf8')) as Readonly<
  Record<string, string>
>;

/** The type errors of programs, as a user's compiler reports them; the programs need not exist as files. */
function typeFaults(programs: ReadonlyMap<string, string>): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile.bind(ts.sys)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const settings: ts.CompilerOptions = {
    ...options,
    rootDir: root,
    noEmit: true,
    noUnusedLocals: false,
    paths: Object.fromEntries(
      Object.entries(entries).map(([name, path]) => [
        name === 'index' ? 'nestjs-elasticjob' : `nestjs-elasticjob/${name}`,
        [join(root, `lib/${path}.ts`)],
      ]),
    ),
  };
  const host = ts.createCompilerHost(settings);
  const disk = ts.createCompilerHost(settings);
  host.fileExists = (file) => programs.has(file) || disk.fileExists(file);
  host.readFile = (file) => programs.get(file) ?? disk.readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const text = programs.get(file);
    return text === undefined
      ? disk.getSourceFile(file, ...rest)
      : // Without the format, the compiler takes it for CommonJS, which has no import.meta.
        ts.createSourceFile(file, text, {
          languageVersion: ts.ScriptTarget.ES2022,
          impliedNodeFormat: ts.ModuleKind.ESNext,
        });
  };
  const program = ts.createProgram([...programs.keys()], settings, host);
  return [...programs.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText, start = 0 }) => {
        const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        return `${file.slice(dirname(file).length + 1)}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      },
    );
  });
}

const place = (name: string): string => join(root, 'test/docs/pages', name);

const examplesOf = (text: string): readonly CodeBlock[] => codeBlocks(text).filter(({ language }) => language === 'ts');

/** The examples that others import, by the names of their files. */
const imported = (): readonly (readonly [string, string])[] => {
  const examples = [...pages.values()].flatMap(examplesOf);
  return examples.flatMap(({ file = '', code }) =>
    examples.some((each) => file !== '' && each.code.includes(`from './${file.replace(/\.ts$/, '.js')}'`))
      ? [[place(file), code] as const]
      : [],
  );
};

test('the compiler accepts every TypeScript example of the pages', () => {
  const programs = [...pages].flatMap(([page, text]) =>
    examplesOf(text).map(
      // Empty lines before the code make the compiler count as the page does.
      ({ code, line }) => [place(`${page.replace('/', '-')}-${line}.ts`), '\n'.repeat(line - 1) + code] as const,
    ),
  );

  const faults = typeFaults(
    new Map([...programs, ...imported(), [place('wrong.ts'), "import { Nothing } from 'nestjs-elasticjob';"]]),
  );

  expect(programs.length).toBeGreaterThan(12);
  expect(faults).toEqual([
    expect.stringContaining('wrong.ts, line 1: Module \'"nestjs-elasticjob"\' has no exported member'),
  ]);
});
