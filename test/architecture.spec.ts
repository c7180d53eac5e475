/**
 * The imports that are allowed in lib/, and the rights that only one folder has. The first half is the rules as a pure
 * function of sources; the second half holds lib/ against them, and shows for each rule that it can fail.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

const ADAPTERS = ['registry/embedded', 'registry/zookeeper', 'registry/postgresql', 'registry/etcd'];
const EXTENSIONS = ['executors', 'error-handlers', 'tracing', 'tracing/rdb'];
/** Each entry needs an optional package of its own. */
const OBSERVABILITY = {
  'observability/prometheus': 'prom-client',
  'observability/opentelemetry': '@opentelemetry/api',
};
/** The stand-alone console has metrics of its own, of the registries and not of a job that runs beside it. */
const METRICS_OF_THE_CONSOLE = 'console/services/metrics/console-metrics.ts';
/** See, decide, do: the rooms of the kernel, in the order in which they stand on one another. */
const ROOMS = ['view', 'graph', 'job', 'types', 'rules', 'marks', 'writes', 'once', 'run', 'log', 'lanes', 'life'].map(
  (room) => `kernel/${room}`,
);
/** The rooms of the console, in the order in which they stand on one another: each knows those before it alone. */
const ROOMS_OF_THE_CONSOLE = [
  ...['contract', 'answers', 'store'],
  ...['callers', 'requests', 'audit', 'passwords', 'sessions'].map((room) => `security/${room}`),
  'options',
  ...['users', 'oidc'].map((room) => `security/${room}`),
  'security',
  ...['connections', 'trace', 'live', 'registries', 'jobs', 'graphs', 'metrics', 'compat'].map(
    (room) => `services/${room}`,
  ),
  ...['http', 'http/page', 'http/api', 'http/compat', 'http/access', 'start', '.'],
];
const KERNEL = ['kernel', ...ROOMS];
const CORE = [...KERNEL, 'operations', 'dump'];
const GROUND = ['api', 'time', 'async', 'wording', 'layout', 'graphs', 'registry'];

/** The areas that the entries of the package may export. */
const PUBLIC = [...CORE, ...EXTENSIONS.filter((area) => area !== 'tracing/rdb'), ...ADAPTERS, ...GROUND];

/** An area is a folder of lib/; `registry` is the port alone, `index` the public entry. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  // The one table of sentences.
  wording: [],
  time: ['wording'],
  async: ['time'],
  api: ['time', 'async', 'wording'],
  registry: ['api', 'time', 'async', 'wording'],
  ...Object.fromEntries(ADAPTERS.map((area) => [area, ['registry', 'api', 'time', 'async', 'wording']])),
  layout: ['api', 'registry (types)', 'time', 'async', 'wording'],
  // The jobs that run after each other.
  graphs: ['layout', 'api', 'registry', 'time', 'wording'],
  ...Object.fromEntries(EXTENSIONS.map((area) => [area, ['api', 'time', 'async', 'wording']])),
  observability: ['api'],
  ...Object.fromEntries(Object.keys(OBSERVABILITY).map((area) => [area, ['observability', 'api']])),
  // Task ids are Java's format.
  tracing: ['layout', 'api', 'time', 'async', 'wording'],
  'tracing/rdb': ['layout', 'api', 'time', 'async', 'wording'],
  kernel: [...ROOMS, ...GROUND],
  'kernel/view': GROUND,
  'kernel/graph': ['kernel/view', ...GROUND],
  'kernel/job': ['kernel/view', ...GROUND],
  // The one table of executors names those that come with the library.
  'kernel/types': ['kernel/view', 'kernel/job', 'executors', ...GROUND],
  // The rules know nothing of what carries them out, and what carries them out knows nothing of the rules.
  'kernel/rules': ['kernel/view', 'kernel/graph', ...GROUND],
  'kernel/marks': ['kernel/view', 'kernel/job', ...GROUND],
  'kernel/writes': ['kernel/view', 'kernel/graph', 'kernel/job', 'kernel/types', 'kernel/marks', ...GROUND],
  'kernel/once': ['kernel/view', 'kernel/job', ...GROUND],
  'kernel/run': ['view', 'job', 'types', 'marks', 'writes', 'once'].map((room) => `kernel/${room}`).concat(GROUND),
  'kernel/log': ['view', 'job', 'types', 'rules', 'run'].map((room) => `kernel/${room}`).concat(GROUND),
  'kernel/lanes': [...ROOMS.filter((room) => room !== 'kernel/life'), ...GROUND],
  'kernel/life': [...ROOMS, ...GROUND],
  // Explanations and the doctor go by what the kernel sees.
  operations: ['kernel/view', 'kernel/graph', ...GROUND],
  dump: GROUND,
  settings: [
    'layout',
    'registry/embedded',
    'registry/zookeeper',
    'registry/postgresql',
    'registry/etcd',
    'registry',
    'api',
    'time',
    'async',
    'wording',
  ],
  testing: [...KERNEL, 'operations', 'layout', 'registry/embedded', 'registry', 'api', 'time', 'async', 'wording'],
  nest: ['settings', ...CORE, ...EXTENSIONS, ...ADAPTERS, 'layout', 'registry', 'api', 'time', 'async', 'wording'],
  // Without Nest: it starts at once, and no application need run. The console is loaded when it is asked for.
  // The tables of PostgreSQL have a command.
  cli: [
    ...['console', 'settings', 'operations', 'dump', 'layout', 'registry', 'registry/postgresql'],
    ...['api', 'time', 'async', 'wording'],
  ],
  // The page is built apart: of the server it knows the contract.
  'console/contract': [],
  'console/ui': ['console/contract'],
  console: [
    'console/contract',
    'nest',
    'settings',
    'operations',
    'dump',
    'tracing/rdb',
    'registry/zookeeper',
    'registry/postgresql',
    'registry/etcd',
    'registry',
    'graphs',
    'layout',
    'api',
    'time',
    'async',
    'wording',
  ],
  // Code that needs TypeORM has its own entry.
  index: ['nest', 'settings', ...PUBLIC],
  // Programs without Nest import them.
  entries: PUBLIC,
};

/** The areas that may import Nest. All others work without it: a command line or a test has no Nest application. */
const MAY_IMPORT_NEST = ['nest', 'console'];

/**
 * True for files that may write `@-@`, the separator within ids: those that build and parse ids, or refuse job names
 * that contain it, or prove that a registry centre keeps such a name.
 */
const mayWriteSeparator = (path: string) =>
  areaOf(path) === 'layout' || ['api/job/job-name.ts', 'testing/contract/nodes.ts'].includes(path);

/**
 * TypeORM is optional: its types are no import at run time, and the console loads it only when a database is connected.
 */
const mayImportTypeOrm = (path: string, typesOnly: boolean) =>
  (['tracing/rdb', 'console'].includes(areaOf(path)) && typesOnly) ||
  path === 'console/services/trace/open-data-source.ts';

/** The one list of names of secrets, and how often its words may stand in a pattern or a list elsewhere. */
const LIST_OF_SECRETS = 'api/text/secret-names.ts';
const WORDS_OF_SECRETS = /password|passwd|passphrase|\bpwd\b|secret|token|credential|api-?\??key|webhook/gi;
const MOST_WORDS_OF_SECRETS = 2;
/** Codes of errors, several of which are about passwords and tokens. */
const CODES_OF_ERRORS = 'console/answers/problem-codes.ts';

/** Reading or waiting for the time, which only lib/time may do. */
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'];

type Sources = Readonly<Record<string, string>>;
interface Import {
  readonly from: string;
  readonly to: string;
  readonly typesOnly: boolean;
}

/** All breaches of the rules in `sources`: file (relative to lib/) → text. Empty if there are none. */
function breaches(sources: Sources): readonly string[] {
  const files = Object.entries(sources).map(([path, text]) => parse(path, text));
  const imports = files.flatMap(importsOf);
  const internal = imports.filter(({ to }) => to.startsWith('.')).map((edge) => ({ ...edge, to: resolve(edge) }));
  return [
    ...Object.keys(sources)
      .filter((path) => !(areaOf(path) in MAY_IMPORT))
      .map((path) => `${path}: lib/${areaOf(path)} has no row in the import table`),
    ...imports
      .filter(({ from, to }) => isTimers(to) && areaOf(from) !== 'time')
      .map(({ from, to }) => `${from}: ${to} belongs to lib/time`),
    ...imports
      .filter(({ from, to }) => to.startsWith('@nestjs/') && !MAY_IMPORT_NEST.includes(areaOf(from)))
      .map(({ from, to }) => `${from}: ${to} belongs to lib/nest`),
    ...imports
      .filter(({ from, to, typesOnly }) => to === 'typeorm' && !mayImportTypeOrm(from, typesOnly))
      .map(({ from, to }) => `${from}: ${to} belongs to lib/tracing/rdb, and there to types`),
    ...imports.flatMap(({ from, to }) => {
      const owner = Object.entries(OBSERVABILITY).find(([, name]) => name === to)?.[0];
      const isAtHome = owner === undefined || areaOf(from) === owner || from === METRICS_OF_THE_CONSOLE;
      return isAtHome ? [] : [`${from}: ${to} belongs to lib/${owner}`];
    }),
    ...internal.filter((edge) => !isAllowed(edge)).map(({ from, to }) => `${from}: may not import ${to}`),
    ...internal.filter(isUpwardsInConsole).map(({ from, to }) => `${from}: may not import ${to}, of a room above`),
    ...internal.filter(isOwnIndex).map(({ from, to }) => `${from}: imports ${to}, the index of its own folder`),
    ...cycles(internal),
    ...files.flatMap(forbiddenWords),
  ];
}

const parse = (path: string, text: string) => ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
const isTimers = (specifier: string) => /^(node:)?timers(\/|$)/.test(specifier);
const resolve = ({ from, to }: Import) => posix.join(posix.dirname(from), to).replace(/\.js$/, '.ts');

function areaOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  if (path === 'index.ts') return 'index';
  if (top === 'console') return ['contract', 'ui'].includes(second) ? `${top}/${second}` : top;
  return ['registry', 'kernel', 'tracing', 'observability'].includes(top) && !second.endsWith('.ts')
    ? `${top}/${second}`
    : top;
}

function isAllowed({ from, to, typesOnly }: Import): boolean {
  const [importer, imported] = [areaOf(from), areaOf(to)];
  const allowed = MAY_IMPORT[importer] ?? [];
  return importer === imported || allowed.includes(imported) || (typesOnly && allowed.includes(`${imported} (types)`));
}

/** True if a room of the console imports one that stands on it, or that the list of rooms does not name. */
function isUpwardsInConsole({ from, to }: Import): boolean {
  const [importer, imported] = [from, to].map((path) => posix.relative('console', posix.dirname(path)) || '.');
  const isInside = [from, to].every((path) => path.startsWith('console/') && !path.startsWith('console/ui/'));
  if (!isInside || importer === imported) return false;
  const [above, below] = [importer, imported].map((room) => ROOMS_OF_THE_CONSOLE.indexOf(room ?? ''));
  return above === -1 || below === -1 || (above ?? 0) < (below ?? 0);
}

function isOwnIndex({ from, to }: Import): boolean {
  const folder = posix.dirname(to);
  return posix.basename(to) === 'index.ts' && (folder === '.' || from.startsWith(`${folder}/`));
}

function importsOf(file: ts.SourceFile): readonly Import[] {
  const found: Import[] = [];
  const note = (specifier: ts.Node | undefined, typesOnly: boolean) => {
    if (specifier && ts.isStringLiteralLike(specifier))
      found.push({ from: file.fileName, to: specifier.text, typesOnly });
  };
  visit(file, (node) => {
    if (ts.isImportDeclaration(node)) note(node.moduleSpecifier, importsTypesOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) note(node.moduleSpecifier, node.isTypeOnly || allTypes(node.exportClause));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      note(node.arguments[0], false);
  });
  return found;
}

function importsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  return (
    clause.phaseModifier === ts.SyntaxKind.TypeKeyword || (clause.name === undefined && allTypes(clause.namedBindings))
  );
}

function allTypes(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return false;
  return bindings.elements.length > 0 && [...bindings.elements].every(({ isTypeOnly }) => isTypeOnly);
}

/** The import cycles between files, each told once, from where the search met it. */
function cycles(edges: readonly Import[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  const settled = new Set<string>();
  const search = (file: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(file)) return [`import cycle: ${[...trail.slice(trail.indexOf(file)), file].join(' → ')}`];
    if (settled.has(file)) return [];
    const found = (targets.get(file) ?? []).flatMap((to) => search(to, [...trail, file]));
    settled.add(file);
    return found;
  };
  return [...targets.keys()].flatMap((file) => search(file, []));
}

function forbiddenWords(file: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const area = areaOf(file.fileName);
  const report = (node: ts.Node, what: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file.fileName}:${line + 1}: ${what}`);
  };
  visit(file, (node) => {
    // The page runs in a browser, where time is no port.
    if (area !== 'time' && area !== 'console/ui' && readsTime(node))
      report(node, `${node.getText()} belongs to lib/time`);
    if (!mayWriteSeparator(file.fileName) && isText(node) && node.text.includes('@-@'))
      report(node, `'@-@' belongs to lib/layout`);
    if (file.fileName !== LIST_OF_SECRETS && file.fileName !== CODES_OF_ERRORS && listsSecrets(node))
      report(node, `a list of secret names belongs to lib/${LIST_OF_SECRETS}`);
    if (ts.isPropertyAccessExpression(node)) {
      const path = node.getText();
      if (/^(globalThis\.)?console\./.test(path)) report(node, `${path} is not for a library: use JobLogger`);
      if (/^(globalThis\.)?process\.exit$/.test(path)) report(node, `${path} is not for a library`);
    }
  });
  return found;
}

function readsTime(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    const path = node.getText();
    return path === 'Date.now' || TIMERS.some((timer) => path === `globalThis.${timer}`);
  }
  if (ts.isNewExpression(node)) return node.expression.getText() === 'Date' && !node.arguments?.length;
  if (ts.isCallExpression(node) && node.expression.getText() === 'Date') return true;
  return ts.isIdentifier(node) && TIMERS.includes(node.text) && isUse(node);
}

/** Not a member of something else (`socket.setTimeout`), nor a name that is being declared. */
function isUse(node: ts.Identifier): boolean {
  return !('name' in node.parent && node.parent.name === node);
}

const isText = (node: ts.Node): node is ts.LiteralLikeNode =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node) ||
  ts.isRegularExpressionLiteral(node);

/** A pattern of alternatives, or a list of bare words, by which names would be judged. */
function listsSecrets(node: ts.Node): boolean {
  const words =
    ts.isRegularExpressionLiteral(node) || (ts.isStringLiteralLike(node) && node.text.includes('|'))
      ? node.text.match(WORDS_OF_SECRETS)
      : ts.isArrayLiteralExpression(node)
        ? node.elements.flatMap((each) =>
            ts.isStringLiteralLike(each) && /^[a-z-]+$/i.test(each.text)
              ? (each.text.match(WORDS_OF_SECRETS) ?? [])
              : [],
          )
        : null;
  return new Set(words?.map((word) => word.toLowerCase())).size > MOST_WORDS_OF_SECRETS;
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

interface PublicName {
  readonly name: string;
  readonly isType: boolean;
  /** The entry from which it should be imported, if that is another one. */
  readonly home?: string;
}

/** The exports of a file that re-exports by name; `export *` is refused, since it hides what is public. */
function publicNames(path: string, text: string): readonly PublicName[] {
  return parse(path, text)
    .statements.flatMap((statement) => {
      if (!ts.isExportDeclaration(statement)) return [];
      const { exportClause, isTypeOnly } = statement;
      if (!exportClause || !ts.isNamedExports(exportClause))
        throw new Error(`${path}: name what is public, without *.`);
      const advice = ts.getTextOfJSDocComment(ts.getJSDocDeprecatedTag(statement)?.comment);
      const home = advice === undefined ? undefined : /^Import it from '([^']+)'\.$/.exec(advice)?.[1];
      if (advice !== undefined && home === undefined) throw new Error(`${path}: "${advice}" names no entry.`);
      return [...exportClause.elements].map((element) => ({
        name: element.name.text,
        isType: isTypeOnly || element.isTypeOnly,
        ...(home !== undefined && { home }),
      }));
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

const root = fileURLToPath(new URL('..', import.meta.url));
const lib = join(root, 'lib');

function librarySources(): Sources {
  const paths = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(lib, path), 'utf8')]));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mjs|md|txt)$/.test(path) && path !== 'packaging/entries/entries.spec.ts')
    .map((path) => posix.join(folder, path));
}

/** The exports of each entry of the package. */
function publicApi(): ReadonlyMap<string, readonly PublicName[]> {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const manifest = read('package.json') as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly default: { readonly default: string } }>>;
  };
  const entries = read('.config/entries.json') as Readonly<Record<string, string>>;
  return new Map(
    Object.entries(manifest.exports).flatMap(([entry, target]) => {
      if (typeof target === 'string') return [];
      const source = `${entries[posix.basename(target.default.default, '.js')]}.ts`;
      return [
        [posix.join(manifest.name, entry), publicNames(source, readFileSync(join(lib, source), 'utf8'))] as const,
      ];
    }),
  );
}

/** As kept in test/public-api.txt. */
function listOf(entries: ReadonlyMap<string, readonly PublicName[]>): string {
  const line = ({ name, isType, home }: PublicName) =>
    `  ${isType ? 'type ' : ''}${name}${home === undefined ? '' : ` (deprecated: ${home})`}\n`;
  return [...entries].map(([entry, names]) => `${entry}\n${names.map(line).join('')}`).join('\n');
}

describe('the library', () => {
  test('keeps to the import table, and to what only one folder may do', () => {
    expect(breaches(librarySources())).toEqual([]);
  });

  test('keeps each room of the kernel and of the command line small enough to be seen at a glance: nine files', () => {
    const folders = Object.keys(librarySources()).map((path) => posix.dirname(path));
    const rooms = [...KERNEL, ...new Set(folders.filter((folder) => folder === 'cli' || folder.startsWith('cli/')))];
    const crowded = rooms.filter((room) => folders.filter((folder) => folder === room).length > 9);
    expect(crowded).toEqual([]);
  });

  test('has three doors to the kernel, and a page that says so', () => {
    const onTop = readdirSync(join(lib, 'kernel')).filter((name) => name.includes('.'));
    expect(onTop).toEqual(['README.md', 'job-bootstrap.ts', 'job-host.ts', 'job-runtime.ts']);
  });

  test('has no folder of more than sixteen files', () => {
    const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((path) => /\.\w+$/.test(path));
    const folders = files.map((path) => posix.dirname(path));
    const crowded = [...new Set(folders)].filter((each) => folders.filter((folder) => folder === each).length > 16);
    expect(crowded).toEqual([]);
  });

  test('exports what test/public-api.txt lists; UPDATE=1 rewrites the list', () => {
    const list = join(root, 'test/public-api.txt');
    const actual = listOf(publicApi());
    if (process.env['UPDATE'] === '1') writeFileSync(list, actual);

    expect(actual).toBe(readFileSync(list, 'utf8'));
  });

  test('exports each name that has moved from the entry to which its mark sends the reader', () => {
    const entries = publicApi();
    const moved = [...entries.values()].flat().filter(({ home }) => home !== undefined);
    const astray = moved.filter(
      ({ home = '', name, isType }) =>
        entries.get(home)?.some((each) => each.name === name && each.isType === isType && !each.home) !== true,
    );

    expect(moved.length).toBeGreaterThan(80);
    expect(astray).toEqual([]);
  });

  test('is imported by samples, tests, benchmarks and pages from where its names belong', () => {
    const moved = new Map((publicApi().get('nestjs-elasticjob') ?? []).map(({ name, home }) => [name, home]));
    const formerImports = ['README.md', ...['docs', 'sample', 'test', 'bench'].flatMap(filesBelow)].flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return [...text.matchAll(/import \{([^}]*)\} from 'nestjs-elasticjob'/g)].flatMap(([, names = '']) =>
        names
          .split(',')
          .map((name) => name.trim().replace(/^type /, ''))
          .filter((name) => moved.get(name) !== undefined)
          .map((name) => `${path}: ${name} belongs to ${moved.get(name)}`),
      );
    });

    expect(formerImports).toEqual([]);
  });
});

test('the tests in test/unit need no server: those that do stand in test/zookeeper, test/registries or test/contract', () => {
  const unit = join(root, 'test/unit');
  const files = readdirSync(unit, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const needsServer = (path: string) =>
    /from '[./]+support\/[\w-]*(zookeeper|etcd|tcp|program)/.test(readFileSync(join(unit, path), 'utf8'));

  expect(files.length).toBeGreaterThan(80);
  expect(files.filter(needsServer)).toEqual([]);
});

describe('the rules', () => {
  const nothing = '';

  test.each([
    ['an adapter that imports the kernel', 'registry/embedded/a.ts', `import { a } from '../../kernel/a.js';`],
    ['an adapter that imports another', 'registry/etcd/a.ts', `export * from '../zookeeper/client/a.js';`],
    ['the kernel importing an adapter', 'kernel/a.ts', `const a = await import('../registry/zookeeper/a.js');`],
    ['the kernel naming a type of nest/', 'kernel/lanes/a.ts', `let a: import('../../nest/a.js').A;`],
    [
      'the layout importing more than types of the port',
      'layout/a.ts',
      `import { type A, b } from '../registry/port.js';`,
    ],
    ['settings importing Nest glue', 'settings/a.ts', `import { a } from '../nest/a.js';`],
    ['settings importing the kernel', 'settings/a.ts', `import type { A } from '../kernel/a.js';`],
    ['writes importing the rules', 'kernel/writes/a.ts', `import { plan } from '../rules/plan.js';`],
    ['rules importing the writes', 'kernel/rules/a.ts', `import { A } from '../writes/a.js';`],
    ['a room importing what stands above it', 'kernel/view/a.ts', `import { type A } from '../job-runtime.js';`],
    ['the queue of trace events importing a storage', 'tracing/a.ts', `import { a } from './rdb/a.js';`],
    ['the public entry importing what needs TypeORM', 'index.ts', `export { a } from './tracing/rdb/a.js';`],
    ['a room of the console importing one above', 'console/store/a.ts', `import { A } from '../http/a.js';`],
    ['a room of the console that the list does not name', 'console/more/a.ts', `import '../contract/a.js';`],
    ['time/ importing anything of ours', 'time/a.ts', `import type { A } from '../async/a.js';`],
  ])('refuse %s', (_, path, text) => {
    expect(breaches({ [path]: text })).toEqual([expect.stringMatching(`^${path}: may not import `)]);
  });

  test.each([
    ['kernel/a.ts', `import { a } from '../layout/a.js'; import { b } from '../registry/registry-center.js';`],
    ['layout/a.ts', `import { type A } from '../registry/port.js'; import type { B } from '../registry/port.js';`],
    ['api/a.ts', `import { Clock } from '../time/clock.js'; import yaml from 'yaml';`],
    ['nest/deep/a.ts', `import { a } from '../../registry/zookeeper/index.js'; import { b } from './b.js';`],
    ['tracing/rdb/a.ts', `import { type DataSource } from 'typeorm'; import { b } from '../../api/b.js';`],
    ['nest/a.ts', `import { a } from '../settings/a.js'; import { Module } from '@nestjs/common';`],
    [
      'settings/a.ts',
      `import { a } from '../registry/zookeeper/a.js'; import { validateSync } from 'class-validator';`,
    ],
    ['time/a.ts', `Date.now(); new Date(); setTimeout(() => {}, 1); import 'node:timers/promises';`],
    ['layout/a.ts', `const separator = '@-@';`],
    [
      'kernel/a.ts',
      `// console.log(Date.now()) '@-@'\nsocket.setTimeout(1); new Date(0); interface A { setTimeout(): void }`,
    ],
  ])('allow, in %s: %s', (path, text) => {
    expect(breaches({ [path]: text })).toEqual([]);
  });

  test.each([
    ['Date.now belongs', `const now = Date.now();`],
    ['new Date() belongs', `const now = new Date();`],
    ['Date() belongs', `const now = Date();`],
    ['setTimeout belongs', `const later = setTimeout;`],
    ['setInterval belongs', `setInterval(() => {}, 1);`],
    ['globalThis.setImmediate belongs', `globalThis.setImmediate(() => {});`],
    ['node:timers/promises belongs', `import { setTimeout as sleep } from 'node:timers/promises';`],
    ['@nestjs/common belongs', `import { type Type } from '@nestjs/common';`],
    ['@nestjs/config belongs', `const { registerAs } = await import('@nestjs/config');`],
    ['typeorm belongs', `import { type DataSource } from 'typeorm';`],
    ['prom-client belongs', `import { type Registry } from 'prom-client';`],
    ['@opentelemetry/api belongs', `import { trace } from '@opentelemetry/api';`],
    [`'@-@' belongs`, `const parts = id.split('@-@');`],
    [`'@-@' belongs`, 'const id = `${ip}@-@${pid}`;'],
    [`'@-@' belongs`, `const isId = /^.+@-@.+$/;`],
    ['a list of secret names', `const secret = /password|secret|token/i;`],
    ['a list of secret names', `const secret = new RegExp('pwd|credential|webhook');`],
    ['a list of secret names', `const names = ['password', 'secret', 'token'];`],
    ['console.warn is not', `console.warn('a');`],
    ['process.exit is not', `process.exit(1);`],
    ['kernel/index.ts, the index', `import { a } from './index.js';`],
    ['lib/unheard has no row', nothing],
  ])('say "%s" of %s', (what, text) => {
    const path = text === nothing ? 'unheard/a.ts' : 'kernel/a.ts';

    expect(breaches({ [path]: text }).join()).toContain(what);
  });

  test('refuse Nest in the settings, which a command line reads too', () => {
    const found = breaches({ 'settings/a.ts': `import { registerAs } from '@nestjs/config';` });

    expect(found).toEqual(['settings/a.ts: @nestjs/config belongs to lib/nest']);
  });

  test('refuse to load TypeORM, which is optional, where its types would do', () => {
    const found = breaches({ 'tracing/rdb/a.ts': `import { DataSource } from 'typeorm';` });

    expect(found).toEqual(['tracing/rdb/a.ts: typeorm belongs to lib/tracing/rdb, and there to types']);
  });

  test('refuse the index of an enclosing folder', () => {
    const found = breaches({ 'registry/zookeeper/client/a.ts': `import { a } from '../index.js';` });

    expect(found).toEqual([
      'registry/zookeeper/client/a.ts: imports registry/zookeeper/index.ts, the index of its own folder',
    ]);
  });

  test('name the files of an import cycle, be it of types alone', () => {
    const found = breaches({
      'kernel/start.ts': `import './a.js';`,
      'kernel/a.ts': `import type { B } from './b.js';`,
      'kernel/b.ts': `export { c } from './c.js';`,
      'kernel/c.ts': `import { a } from './a.js';`,
    });

    expect(found).toEqual(['import cycle: kernel/a.ts → kernel/b.ts → kernel/c.ts → kernel/a.ts']);
  });

  test('list public names in order, types marked, and refuse a star', () => {
    const names = publicNames(
      'index.ts',
      `export { b, type A } from './a.js';\n/** @deprecated Import it from 'p/e'. */\nexport type { C as D } from './c.js';`,
    );

    expect(listOf(new Map([['p', names]]))).toBe('p\n  type A\n  b\n  type D (deprecated: p/e)\n');
    expect(() => publicNames('index.ts', `/** @deprecated Use e. */ export { b } from './a.js';`)).toThrow(
      'index.ts: "Use e." names no entry.',
    );
    expect(() => publicNames('index.ts', `export * from './a.js';`)).toThrow('index.ts: name what is public');
  });
});
