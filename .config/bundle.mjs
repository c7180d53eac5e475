/**
 * Makes the files of the package from the compiler's output in dist/modules: for each entry one file as ESM in dist/esm
 * and one as CommonJS in dist/cjs, each with its declarations, and the parts that entries share. Few files load faster
 * than many small ones.
 *
 *   node .config/bundle.mjs
 *
 * Comments stay in the declarations, where editors read them, and leave the JavaScript.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const dist = at('dist');
const modules = at('dist/modules');
const entries = JSON.parse(readFileSync(at('.config/entries.json'), 'utf8'));
const { dependencies, peerDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const packages = Object.keys({ ...dependencies, ...peerDependencies });
const isExternal = (id) => id.startsWith('node:') || packages.some((name) => id === name || id.startsWith(`${name}/`));
const entryFiles = (extension) =>
  Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(modules, `${path}${extension}`)]));

/** The command line is a program that no code imports, so it is only ESM. */
const PROGRAM = { elasticjob: join(modules, 'cli/elasticjob.js') };

/**
 * Packages whose used parts the bundles contain: class-validator as a whole is 230 files, the greater part of them for
 * phone numbers, and takes longer to load than Nest's core. Its metadata are global, so that its copies in a process
 * share them.
 */
const INLINED = {
  'class-validator': (path) => join('class-validator/esm2015', path),
  validator: (path) => (path === '' ? undefined : join('validator/es', path)),
  tslib: () => 'tslib/tslib.es6.mjs',
};

/**
 * Packages that come as ES modules alone, or as other objects by `import` than by `require`: code that needs them is
 * there as ESM and as CommonJS. All other code is CommonJS, which both share.
 */
const OF_ONE_KIND = /^(@nestjs\/|rxjs|reflect-metadata|openid-client|typeorm)/;

for (const name of ['esm', 'cjs', 'parts']) rmSync(join(dist, name), { recursive: true, force: true });
copyJavaScriptFiles();
const chunks = await bundleCode();
await writeModules(chunks);
await writeCommonJs(chunks);
await bundleDeclarations(join(dist, 'cjs'));
for (const name of Object.keys(entries))
  writeFileSync(join(dist, `esm/${name}.d.ts`), `export * from '../cjs/${name}.js';\n`);
// Overrides the "type" of the package itself.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
writeFileSync(join(dist, 'third-party-licenses.txt'), Object.keys(INLINED).map(licenseOf).join('\n\n'));

/**
 * Files that are JavaScript already must know where they are: the bundles share them, and the compiler's output has
 * them too.
 */
function copyJavaScriptFiles() {
  const lib = at('lib');
  for (const file of readdirSync(lib, { recursive: true }).filter((each) => each.endsWith('.cjs'))) {
    mkdirSync(dirname(join(modules, file)), { recursive: true });
    copyFileSync(join(lib, file), join(modules, file));
    copyFileSync(join(lib, file), join(dist, basename(file)));
  }
}

/** All code as ES modules: the entries and the program, what they share, and in parts/ what both kinds share. */
async function bundleCode() {
  const bundle = await rollup({
    input: { ...entryFiles('.js'), ...PROGRAM },
    plugins: [resolveImports(), resolveInlined()],
    // As package.json says of ours.
    treeshake: { moduleSideEffects: (_, isExternal) => isExternal },
    onLog: refuseWarning,
  });
  const shared = new Map();
  const { output } = await bundle.generate({
    dir: dist,
    format: 'es',
    entryFileNames: 'esm/[name].js',
    chunkFileNames: ({ name, moduleIds }) =>
      moduleIds.some((id) => shared.get(id)) ? `parts/${name}.cjs` : 'esm/parts/[name].js',
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    manualChunks: (id, { getModuleInfo }) =>
      isShared(id, getModuleInfo, shared) ? partOf(id) : isCommand(id) ? 'commands' : undefined,
    onlyExplicitManualChunks: true,
  });
  await bundle.close();
  const files = output.map(({ fileName }) => fileName);
  for (const { fileName, code, imports, dynamicImports } of output) {
    refuseRenamedClasses(fileName, code);
    refuseUnknown(
      fileName,
      [...imports, ...dynamicImports].filter((id) => !files.includes(id)),
    );
  }
  return output;
}

/** True if CommonJS serves both kinds: neither the module nor its imports need a package of one kind. */
function isShared(id, getModuleInfo, known) {
  if (known.has(id)) return known.get(id);
  // Until all is known: a module that imports itself in a circle depends on the others.
  known.set(id, true);
  const info = getModuleInfo(id);
  const imports = [...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? [])];
  const found =
    info?.isEntry !== true &&
    areaOf(id)[0] !== 'cli' &&
    imports.every((each) =>
      getModuleInfo(each)?.isExternal ? !OF_ONE_KIND.test(each) : isShared(each, getModuleInfo, known),
    );
  known.set(id, found);
  return found;
}

/** The folders of lib/ in which a module stands; those of a package begin with `..`. */
function areaOf(id) {
  return relative(modules, dirname(id)).split(sep);
}

/** The part of a shared module: modules that are needed together are in one part. */
function partOf(id) {
  const [area, room] = areaOf(id);
  if (area === '..') return /[\\/]tslib[\\/]/.test(id) ? 'common' : 'class-validator';
  if (['api', 'async', 'time', 'wording'].includes(area)) return 'common';
  if (
    room !== undefined &&
    (['registry', 'tracing', 'observability'].includes(area) || ['explain', 'doctor'].includes(room))
  )
    return `${area}-${room}`;
  return area;
}

/**
 * ES modules import a part by a file of its own, which hands its exports on: Node reads through all of a CommonJS file
 * that an ES module imports, for the names of its exports, and this one is short.
 */
async function writeModules(output) {
  const names = new Map();
  for (const { fileName, code } of output) {
    if (fileName.endsWith('.cjs')) continue;
    const imports = /^(import|export) (?:\{([^}]*)\} from )?'([^']*\/)parts\/([\w-]+)\.cjs';\n/gm;
    const redirected = compact(code, fileName).replace(imports, (_, keyword, list, path, part) => {
      if (list === undefined) return '';
      const known = names.get(part) ?? names.set(part, new Set()).get(part);
      for (const each of list.split(',')) known.add(each.trim().split(' as ')[0]);
      const folder = fileName.startsWith('esm/parts/') ? '.' : './parts';
      return `${keyword} {${list}} from '${folder}/${part}.cjs';\n`;
    });
    write(fileName, redirected);
  }
  for (const [part, exported] of names) {
    const lines = [...exported].sort().map((name) => `exports.${name} = part.${name};\n`);
    write(
      `esm/parts/${part}.cjs`,
      `'use strict';\nconst part = require('../../parts/${part}.cjs');\n${lines.join('')}`,
    );
  }
}

/** The same chunks as CommonJS: the parts, and in cjs/ the files of esm/ except the program. */
async function writeCommonJs(output) {
  const byName = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const needed = new Set();
  const need = (fileName) => {
    if (needed.has(fileName) || !byName.has(fileName)) return;
    needed.add(fileName);
    const { imports, dynamicImports } = byName.get(fileName);
    for (const each of [...imports, ...dynamicImports]) need(each);
  };
  for (const { fileName } of output) if (fileName.endsWith('.cjs')) need(fileName);
  for (const name of Object.keys(entries)) need(`esm/${name}.js`);

  const bundle = await rollup({
    // The names of parts become those of variables.
    input: Object.fromEntries(
      [...needed].map((fileName) => [fileName.replace(/^(esm\/)?parts\/|\.c?js$/g, ''), join(dist, fileName)]),
    ),
    plugins: [
      {
        name: 'chunks',
        resolveId(id, importer) {
          const path = importer === undefined || id.startsWith('.') ? join(importer ? dirname(importer) : '', id) : id;
          if (needed.has(relative(dist, path))) return path;
          return path.startsWith(dist) ? { id: path, external: 'relative' } : { id: path, external: true };
        },
        load: (id) => byName.get(relative(dist, id)).code,
      },
    ],
    treeshake: false,
    onLog: refuseWarning,
  });
  const { output: files } = await bundle.generate({
    dir: dist,
    format: 'cjs',
    // CommonJS loads the CommonJS of a package, so that an application has one copy of TypeORM.
    interop: 'auto',
    dynamicImportInCjs: false,
    exports: 'named',
    preserveModules: true,
    entryFileNames: ({ facadeModuleId }) => relative(dist, facadeModuleId).replace(/^esm\b/, 'cjs'),
    hoistTransitiveImports: false,
  });
  await bundle.close();
  for (const { fileName, code } of files) write(fileName, compact(code, fileName));
}

function write(fileName, code) {
  const path = join(dist, fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}

/**
 * True for the code of a command, which `elasticjob --help` does not need: it is loaded when the command is carried
 * out.
 */
function isCommand(id) {
  const [first] = relative(join(modules, 'cli'), id).split(sep);
  return !['..', 'program', 'terminal', 'elasticjob.js', 'run.js', 'exit-codes.js'].includes(first);
}

/** Packages that are installed beside the library, and the files that are JavaScript already. */
function resolveImports() {
  return {
    name: 'imports',
    resolveId(id) {
      // Rollup takes dist/modules, which has all entries, for what dist/ is of the output.
      if (id.endsWith('.cjs')) return { id: join(modules, basename(id)), external: 'relative' };
      return isExternal(id) ? { id, external: true } : null;
    },
  };
}

/** Resolves the packages that the bundles contain, and their imports. */
function resolveInlined() {
  return {
    name: 'inlined-packages',
    resolveId(id, importer = '') {
      const [, name = '', path = ''] = /^([^./][^/]*)\/?(.*)$/.exec(id) ?? [];
      const inlined = Object.hasOwn(INLINED, name) ? INLINED[name](path) : undefined;
      if (inlined !== undefined) return fileOf(at(join('node_modules', inlined)));
      if (!importer.startsWith(at('node_modules/'))) return null;
      // Another package, which the used parts do not need: Rollup drops the import, or `refuseUnknown` reports it.
      return id.startsWith('.')
        ? fileOf(join(dirname(importer), id))
        : { id, external: true, moduleSideEffects: false };
    },
  };
}

/** The license of a package, which must be shipped with its code. */
function licenseOf(name) {
  const folder = at(`node_modules/${name}`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${folder} has no file with its licence, which a bundle of it must contain.`);
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

/** The file of an import without its ending, as older packages have them. */
function fileOf(path) {
  return [path, `${path}.js`, join(path, 'index.js')].find((each) =>
    statSync(each, { throwIfNoEntry: false })?.isFile(),
  );
}

/** Without comments, indented by tabs. Names and lines stay, for readers of stack traces. */
function compact(code, fileName) {
  const kind = /\.cjs$|^cjs/.test(fileName) ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext;
  const compilerOptions = { module: kind, target: ts.ScriptTarget.ES2022, removeComments: true };
  const extension = kind === ts.ModuleKind.CommonJS ? '.cjs' : '.mjs';
  const { outputText } = ts.transpileModule(code, {
    fileName: fileName.replace(/\.c?js$/, extension),
    compilerOptions,
  });
  return indentedByTabs(kind === ts.ModuleKind.CommonJS ? loadedOnUse(outputText) : outputText);
}

/**
 * Delays each `require` until the first use of the loaded module: an application does not load YAML, an HTTP client or
 * a registry centre of another type unless it needs them.
 */
function loadedOnUse(code) {
  const { file, checker } = bound(code);
  const edits = [];
  const replace = (node, text, start = node.getStart(), end = node.end) => edits.push({ start, end, text });
  const loaded = new Set();
  for (const statement of file.statements) {
    const [, name, id] = /^(?:(?:var|const) ([\w$]+) = )?require\(('[^']+')\);$/.exec(statement.getText()) ?? [];
    if (id === undefined || id.endsWith("/common.cjs'")) continue;
    if (name === undefined) {
      if (id.startsWith("'.")) replace(statement, '');
      continue;
    }
    const [declaration] = statement.declarationList.declarations;
    loaded.add(declaration);
    replace(statement, `let ${name}$; const ${name} = () => (${name}$ ??= require(${id}));`);
  }
  const look = (node) => {
    if (!ts.isIdentifier(node) || ts.isVariableDeclaration(node.parent)) return ts.forEachChild(node, look);
    const { parent } = node;
    const isShorthand = ts.isShorthandPropertyAssignment(parent);
    const symbol = isShorthand ? checker.getShorthandAssignmentValueSymbol(parent) : checker.getSymbolAtLocation(node);
    if (!loaded.has(symbol?.valueDeclaration)) return;
    const [before, after] = isShorthand ? [`${node.text}: `, ''] : isConstructed(parent) ? ['(', ')'] : ['', ''];
    replace(node, `${before}${node.text}()`);
    if (after) replace(parent, after, parent.end);
  };
  file.statements.forEach(look);
  for (const { start, end, text } of edits.sort((a, b) => b.start - a.start))
    code = code.slice(0, start) + text + code.slice(end);
  return code;
}

/** True if `new` is called with it, whose arguments must not become those of the inserted call. */
function isConstructed(node) {
  return ts.isPropertyAccessExpression(node) && ts.isNewExpression(node.parent) && node.parent.expression === node;
}

/** A program of one file, which knows what each name in it stands for. */
function bound(code) {
  const name = 'code.ts';
  const file = ts.createSourceFile(name, code, ts.ScriptTarget.ES2022, true);
  const options = { allowJs: true, noResolve: true, noLib: true, types: [], target: ts.ScriptTarget.ES2022 };
  const host = {
    ...ts.createCompilerHost(options),
    getSourceFile: (each) => (each === name ? file : undefined),
    fileExists: (each) => each === name,
  };
  return { file, checker: ts.createProgram([name], options, host).getTypeChecker() };
}

/** Lines within a template are text, which stays as it is. */
function indentedByTabs(code) {
  const file = ts.createSourceFile('code.ts', code, ts.ScriptTarget.ES2022, false);
  const texts = [];
  const look = (node) => {
    if (ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node))
      texts.push([node.getStart(file), node.end]);
    else ts.forEachChild(node, look);
  };
  look(file);
  const within = (offset) => texts.some(([start, end]) => start < offset && offset < end);
  return code.replace(/^( {4})+/gm, (spaces, _, offset) => (within(offset) ? spaces : '\t'.repeat(spaces.length / 4)));
}

async function bundleDeclarations(dir) {
  const bundle = await rollup({
    input: entryFiles('.d.ts'),
    external: isExternal,
    plugins: [dts(), { name: 'tabs', renderChunk: (code) => indentedByTabs(code) }],
    onLog: refuseWarning,
  });
  await bundle.write({ dir, format: 'es', chunkFileNames: 'parts/[name]-[hash].d.ts', hoistTransitiveImports: false });
  await bundle.close();
  const file = join(dir, 'index.d.ts');
  writeFileSync(file, markMoved(readFileSync(file, 'utf8'), movedNames()));
}

/** The names that the main entry exports until 1.0, although another one is their home, each with the advice for it. */
function movedNames() {
  const source = ts.createSourceFile(
    'index.ts',
    readFileSync(at('lib/index.ts'), 'utf8'),
    ts.ScriptTarget.ES2022,
    true,
  );
  return new Map(
    source.statements.flatMap((statement) => {
      const advice = ts.getJSDocDeprecatedTag(statement)?.comment;
      return advice ? statement.exportClause.elements.map(({ name }) => [name.text, advice]) : [];
    }),
  );
}

/** Editors take the mark from where a name is exported. */
function markMoved(declarations, moved) {
  const missing = new Set(moved.keys());
  const marked = declarations.replace(/^export (type )?\{([^}]*)\}/gm, (_, type = '', list) => {
    const names = list.split(',').map((each) => {
      const exported = each
        .trim()
        .split(' as ')
        .at(-1)
        .replace(/^type /, '');
      if (!missing.delete(exported)) return ` ${each.trim()}`;
      return `\n/** @deprecated ${moved.get(exported)} */\n${each.trim()}`;
    });
    return `export ${type}{${names.join(',')} }`;
  });
  if (missing.size > 0) throw new Error(`The declarations of the main entry do not export ${[...missing].join(', ')}.`);
  return marked;
}

/** A class's name stands in logs, errors and the messages of Nest: two classes of one name must not share a file. */
function refuseRenamedClasses(fileName, code) {
  const renamed = [...new Set([...code.matchAll(/\bclass ([\w$]+\$\d+)\b/g)].map(([, name]) => name))];
  if (renamed.length > 0)
    throw new Error(`${fileName}: the bundle renames the classes ${renamed.join(', ')}. Give them names of their own.`);
}

/** An import that is no dependency would be missing where the library is installed. */
function refuseUnknown(fileName, imports) {
  const unknown = imports.filter((id) => !isExternal(id) && !id.endsWith('.cjs'));
  if (unknown.length > 0)
    throw new Error(`${fileName} imports ${unknown.join(', ')}, of which package.json has nothing.`);
}

function refuseWarning(level, log) {
  if (level !== 'warn') return;
  // Types that entries share stand in a part that exports them under short names.
  if (/private shared type exports/.test(log.message)) return;
  // Parts load one another when they first need something of one another.
  if (/^CIRCULAR_/.test(log.code) && log.ids.every((id) => basename(id).startsWith('operations'))) return;
  throw new Error(`Bundling: ${log.message}`);
}
