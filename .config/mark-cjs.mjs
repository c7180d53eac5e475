// Tells Node that dist/cjs holds CommonJS, whatever the package's own "type" says.
import { writeFileSync } from 'node:fs';

writeFileSync(new URL('../dist/cjs/package.json', import.meta.url), '{ "type": "commonjs" }\n');
