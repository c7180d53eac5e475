'use strict';
/** Where the package is: CommonJS in either build, because only so it has the same name beside the sources and in the package, and knows where it is. */
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** The folder with the package's own package.json; `undefined` if a bundler has moved the code elsewhere. */
exports.packageFolder = find(typeof __dirname === 'string' ? __dirname : undefined);

function find(folder) {
  while (folder !== undefined) {
    const file = join(folder, 'package.json');
    if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'nestjs-elasticjob') return folder;
    folder = dirname(folder) === folder ? undefined : dirname(folder);
  }
  return undefined;
}
