// Runs every benchmark of this folder, one after the other, or those whose names are given: `npm run bench -- cron`.
// Options, `--name value`, are for the benchmarks themselves.
import { readdirSync } from 'node:fs';

const args = process.argv.slice(2);
const wanted = args.filter((each, at) => !each.startsWith('--') && !args[at - 1]?.startsWith('--'));
const names = readdirSync(new URL('.', import.meta.url))
  .filter((name) => name.endsWith('.bench.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((each) => name.startsWith(each)));
if (names.length === 0) throw new Error(`No benchmark is named ${wanted.join(' or ')}`);

for (const name of names) {
  console.log(`\n# ${name}`);
  // One after the other on purpose: they would disturb each other.
  await import(new URL(name, import.meta.url));
}
