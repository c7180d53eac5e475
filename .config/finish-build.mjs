/**
 * What the compiler leaves to do in dist/: copies the two files that are JavaScript already; tells Node that dist/cjs holds CommonJS, whatever the package's own "type" says, and
 * takes the comments out of the JavaScript. They stay in the declarations, where editors read them.
 */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const javaScriptFiles = ['executors/worker/worker-thread.cjs', 'console/http/package-folder.cjs'];
const folders = { esm: ts.ModuleKind.ESNext, cjs: ts.ModuleKind.CommonJS };

for (const [name, module] of Object.entries(folders)) {
  const folder = fileURLToPath(new URL(`../dist/${name}/`, import.meta.url));
  const compilerOptions = { module, target: ts.ScriptTarget.ES2022, removeComments: true };
  for (const file of javaScriptFiles)
    copyFileSync(fileURLToPath(new URL(`../lib/${file}`, import.meta.url)), folder + file);
  for (const file of readdirSync(folder, { recursive: true }).filter((each) => each.endsWith('.js'))) {
    const code = readFileSync(folder + file, 'utf8');
    const fileName = name === 'cjs' ? file.replace(/\.js$/, '.cjs') : file.replace(/\.js$/, '.mjs');
    writeFileSync(folder + file, ts.transpileModule(code, { fileName, compilerOptions }).outputText);
  }
}
writeFileSync(new URL('../dist/cjs/package.json', import.meta.url), '{ "type": "commonjs" }\n');
