import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from '../../support/program.js';
import { codeBlocks, readme } from './readme.js';

/** What is wrong with the types of programs, as a user's compiler would say it; they need not exist as files. */
function typeFaults(programs: ReadonlyMap<string, string>): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile.bind(ts.sys)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const settings: ts.CompilerOptions = {
    ...options,
    rootDir: root,
    noEmit: true,
    noUnusedLocals: false,
    paths: {
      'nestjs-elasticjob': [join(root, 'lib/index.ts')],
      'nestjs-elasticjob/testing': [join(root, 'lib/testing/index.ts')],
    },
  };
  const host = ts.createCompilerHost(settings);
  const disk = ts.createCompilerHost(settings);
  host.fileExists = (file) => programs.has(file) || disk.fileExists(file);
  host.readFile = (file) => programs.get(file) ?? disk.readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const text = programs.get(file);
    return text === undefined
      ? disk.getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
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

const place = (name: string): string => join(root, 'test/docs/readme', name);

test.each([
  ['the README', readme, 8],
  ['“Running beside Java”', readFileSync(join(root, 'docs/running-beside-java.md'), 'utf8'), 1],
])(
  'every TypeScript example of %s is accepted by the compiler',
  (_, page, atLeast) => {
    const examples = codeBlocks(page).filter(({ language }) => language === 'ts');
    // Empty lines before the code make the compiler count as the page does.
    const programs = examples.map(({ code, line }) => [place(`at-${line}.ts`), '\n'.repeat(line - 1) + code] as const);

    const faults = typeFaults(
      new Map([...programs, [place('wrong.ts'), "import { Nothing } from 'nestjs-elasticjob';"]]),
    );

    expect(examples.length).toBeGreaterThan(atLeast);
    expect(faults).toEqual([
      expect.stringContaining('wrong.ts, line 1: Module \'"nestjs-elasticjob"\' has no exported member'),
    ]);
  },
  60_000,
);
