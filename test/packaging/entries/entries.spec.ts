/** The entries of the built package, as an editor shows them and as a program loads them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { Program, root } from '../../support/program.js';

/** Inside the project, so that programs find the package by its name. */
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(root, 'dist/entries-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The names that an editor strikes out in a file of an application, each with its mark. */
function deprecations(fileName: string, text: string): readonly string[] {
  const file = join(root, 'test/packaging/entries', fileName);
  const settings: ts.CompilerOptions = {
    ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, skipLibCheck: true, noEmit: true },
    types: ['node'],
  };
  const service = ts.createLanguageService({
    getCompilationSettings: () => settings,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const source = path === file ? text : ts.sys.readFile(path);
      return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: ts.sys.readFile.bind(ts.sys),
    directoryExists: ts.sys.directoryExists.bind(ts.sys),
    getDirectories: ts.sys.getDirectories.bind(ts.sys),
  });
  expect(service.getSemanticDiagnostics(file)).toEqual([]);
  return service
    .getSuggestionDiagnostics(file)
    .filter(({ reportsDeprecated }) => reportsDeprecated)
    .map(({ start, length, relatedInformation: [mark] = [] }) => {
      const name = text.slice(start, start + length).replace('type ', '');
      return `${name}: ${mark?.file?.text.slice(mark.start, (mark.start ?? 0) + (mark.length ?? 0)).trim()}`;
    });
}

describe.each([
  ['ESM', 'application.mts'],
  ['CommonJS', 'application.cts'],
])('in an editor, a file that is %s', (_, fileName) => {
  test('shows a name that has moved as deprecated, with its new entry', () => {
    const program =
      "import { ElasticJob, type JobStatus, JobHost } from 'nestjs-elasticjob';\nexport { ElasticJob, JobHost, type JobStatus };";

    expect([...new Set(deprecations(fileName, program))].sort()).toEqual([
      "JobHost: @deprecated Import it from 'nestjs-elasticjob/bootstrap'.",
      "JobStatus: @deprecated Import it from 'nestjs-elasticjob/operations'.",
    ]);
  });

  test('takes the same name from its new entry, as the same class', () => {
    const program = `import { JobHost as former } from 'nestjs-elasticjob';
      import { JobHost } from 'nestjs-elasticjob/bootstrap';
      export const same = (host: former): JobHost => host;`;

    expect(
      deprecations(fileName, program).filter((each) => !each.startsWith('former') && !each.startsWith('JobHost as')),
    ).toEqual([]);
  });
});

test.each([
  ['import', "await import('nestjs-elasticjob')"],
  ['require', `require(${JSON.stringify(join(root, 'dist/cjs/index.js'))})`],
])('an application that loads the package by %s does not load packages that it may never use', async (_, load) => {
  const script = join(folder, 'load.mjs');
  writeFileSync(
    script,
    `import { createRequire } from 'node:module';
     const require = createRequire(import.meta.url);
     ${load};
     const files = Object.keys(require.cache);
     const optional = files.flatMap((file) => /node_modules.(yaml|cron-parser|undici)[/\\\\]/.exec(file)?.[1] ?? []);
     console.log(JSON.stringify({ kernel: files.some((file) => file.endsWith('kernel.cjs')), optional: [...new Set(optional)] }));`,
  );
  await using program = new Program(relative(root, script));

  await program.end();

  expect(program.output.trim()).toBe('{"kernel":true,"optional":[]}');
});
