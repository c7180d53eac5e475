/**
 * Makes what the package ships of what the compiler has put into dist/modules: for each entry one file as ESM in
 * dist/esm and one as CommonJS in dist/cjs, each with its declarations, and the parts that entries share. Few files
 * load faster than many small ones.
 *
 *   node .config/bundle.mjs
 *
 * Comments stay in the declarations, where editors read them, and leave the JavaScript.
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** The command line is a program, which nobody imports: it is ESM alone. */
const PROGRAM = { elasticjob: join(modules, 'cli/elasticjob.js') };

const KINDS = {
  esm: { format: 'es', input: { ...entryFiles('.js'), ...PROGRAM }, module: ts.ModuleKind.ESNext, extension: '.mjs' },
  cjs: { format: 'cjs', input: entryFiles('.js'), module: ts.ModuleKind.CommonJS, extension: '.cjs' },
};

/**
 * Packages of which the bundles contain what they use: class-validator as a whole is 230 files, the greater part of
 * them for phone numbers, and takes longer to load than Nest's core. Its metadata are global, so that its copies in a
 * process share them.
 */
const INLINED = {
  'class-validator': (path) => join('class-validator/esm2015', path),
  validator: (path) => (path === '' ? undefined : join('validator/es', path)),
  tslib: () => 'tslib/tslib.es6.mjs',
};

for (const name of Object.keys(KINDS)) rmSync(join(dist, name), { recursive: true, force: true });
copyJavaScriptFiles();
for (const [name, kind] of Object.entries(KINDS)) await bundleCode(join(dist, name), kind);
await bundleDeclarations(join(dist, 'esm'));
copyDeclarations(join(dist, 'esm'), join(dist, 'cjs'));
// Whatever the package's own "type" says.
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

async function bundleCode(dir, { format, input, module, extension }) {
  const bundle = await rollup({
    input,
    plugins: [resolveImports(), resolveInlined(), withoutComments(module, extension)],
    // As package.json says of ours.
    treeshake: { moduleSideEffects: (_, isExternal) => isExternal },
    onLog: refuseWarning,
  });
  const { output } = await bundle.write({
    dir,
    format,
    // CommonJS loads the CommonJS of a package, so that an application has one copy of TypeORM.
    ...(format === 'cjs' && { interop: 'auto', dynamicImportInCjs: false, exports: 'named' }),
    chunkFileNames: 'parts/[name]-[hash].js',
    hoistTransitiveImports: false,
    manualChunks: (id) => (isCommand(id) ? 'commands' : undefined),
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
}

/** What `elasticjob --help` has no need of: the code of the commands, which is loaded when one is carried out. */
function isCommand(id) {
  const [first] = relative(join(modules, 'cli'), id).split(sep);
  return !['..', 'program', 'terminal', 'elasticjob.js', 'run.js', 'exit-codes.js'].includes(first);
}

/** Packages that are installed beside the library, and the files that are JavaScript already. */
function resolveImports() {
  return {
    name: 'imports',
    resolveId(id) {
      if (id.endsWith('.cjs')) return { id: join(dist, basename(id)), external: 'relative' };
      return isExternal(id) ? { id, external: true } : null;
    },
  };
}

/** The packages that the bundles contain, and what these import. */
function resolveInlined() {
  return {
    name: 'inlined-packages',
    resolveId(id, importer = '') {
      const [, name = '', path = ''] = /^([^./][^/]*)\/?(.*)$/.exec(id) ?? [];
      const inlined = Object.hasOwn(INLINED, name) ? INLINED[name](path) : undefined;
      if (inlined !== undefined) return fileOf(at(join('node_modules', inlined)));
      if (!importer.startsWith(at('node_modules/'))) return null;
      // Another package, of which the parts that are used have no need: Rollup drops the import, or `refuseUnknown`
      // complains.
      return id.startsWith('.')
        ? fileOf(join(dirname(importer), id))
        : { id, external: true, moduleSideEffects: false };
    },
  };
}

/** What a package asks to be handed on with its code. */
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

function withoutComments(module, extension) {
  const compilerOptions = { module, target: ts.ScriptTarget.ES2022, removeComments: true };
  return {
    name: 'without-comments',
    renderChunk: (code, { fileName }) =>
      ts.transpileModule(code, { fileName: fileName.replace(/\.js$/, extension), compilerOptions }).outputText,
  };
}

async function bundleDeclarations(dir) {
  const bundle = await rollup({
    input: entryFiles('.d.ts'),
    external: isExternal,
    plugins: [dts()],
    onLog: refuseWarning,
  });
  await bundle.write({ dir, format: 'es', chunkFileNames: 'parts/[name]-[hash].d.ts', hoistTransitiveImports: false });
  await bundle.close();
}

function copyDeclarations(from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.js') });
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
  throw new Error(`Bundling: ${log.message}`);
}
