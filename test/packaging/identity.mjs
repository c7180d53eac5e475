/** Each entry of the package must give the same objects to `import` and `require` in one process. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { name, exports, peerDependenciesMeta = {} } = require('nestjs-elasticjob/package.json');
const optional = Object.keys(peerDependenciesMeta).filter((peer) => peerDependenciesMeta[peer].optional);

for (const entry of Object.keys(exports).filter((key) => key !== './package.json')) {
  const specifier = name + entry.slice(1);
  const imported = await load(specifier);
  if (imported === undefined) continue;
  const required = require(specifier);
  const names = Object.keys(imported).filter((key) => key !== 'default' && key !== 'module.exports');
  const differing = names.filter((key) => imported[key] !== required[key]);
  if (names.length === 0) throw new Error(`${specifier} exports nothing.`);
  if (differing.length > 0) throw new Error(`${specifier}: import and require differ in ${differing.join(', ')}.`);
  console.log(`${specifier}: ${names.length} exports, the same by import and require`);
}

/**
 * The entry's exports; undefined, and said so, if it needs an optional peer, which a fresh application does not have.
 */
async function load(specifier) {
  try {
    return await import(specifier);
  } catch (error) {
    const missing = optional.find(
      (peer) => error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${peer}'`),
    );
    if (missing === undefined) throw error;
    console.log(`${specifier}: needs the optional ${missing}`);
    return undefined;
  }
}
