/** Holds docs/console.md against the options of the console. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { consoleSettings } from '../../../lib/cli/console/console-settings.js';
import { optionProblems } from '../../../lib/console/start/check-options.js';
import { settingsOf } from '../../../lib/api/settings/setting.js';
import { DataSourceDeclaration, RegistryDeclaration } from '../../../lib/console/start/connection-settings.js';
import { SaslSettings, TlsSettings } from '../../../lib/registry/zookeeper/zookeeper-security.js';
import { knownOptions } from '../../../lib/console/start/option-fields.js';
import { codeBlocks, tableAfter, textOf } from './pages.js';

const PAGE = 'docs/console.md';
const VARIABLES = {
  GINAS_PASSWORD: 'view from the gallery',
  OIDC_CLIENT_SECRET: 'a secret',
  CASDOOR_CLIENT_ID: 'an id',
  CASDOOR_CLIENT_SECRET: 'a secret',
  SASL_PASSWORD: 'a secret',
  DB_PASSWORD: 'a secret',
  CONSOLE_DIGEST: 'console:a secret',
  CONSOLE_SESSION_KEY: 'a random text of at least 32 characters',
  CONSOLE_SECRET_KEY: 'another random text of at least 32 characters',
};
const HASH = '$scrypt$ln=10,r=8,p=1$EYZuLZTPHAa1DTlI32lr8A$6GwffGpPp1JpDEfuHbclfFxQ+pCUjegMhy43sR88a80';

const folder = mkdtempSync(join(tmpdir(), 'console-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const examples = codeBlocks(textOf(PAGE)).filter(({ language }) => language === 'yaml');

test.each(examples.map(({ file, code }) => [file, code] as const))('the settings of %s are right', (name, code) => {
  const file = join(folder, name ?? 'unnamed.yaml');
  // The page cannot have a whole hash on a line.
  writeFileSync(
    file,
    code.replace('$scrypt$ln=17,r=8,p=1$…', HASH).replaceAll('/etc/elasticjob/ca.pem', import.meta.filename),
  );

  const { options } = consoleSettings(file, VARIABLES);

  expect(Object.keys(options).length + Number(name === 'console-tls.yaml')).toBeGreaterThan(0);
  expect(optionProblems(options)).toEqual([]);
});

test.each([
  ['registries', RegistryDeclaration],
  ['dataSources', DataSourceDeclaration],
] as const)('the table of %s has every field, and no other', (name, type) => {
  const listed = tableAfter(PAGE, `\n### \`${name}\`\n`).flatMap(([names = '']) =>
    names
      .split(',')
      .map((each) => each.replaceAll('`', '').trim())
      .filter((each) => each !== '…'),
  );
  const sections = { tls: TlsSettings, sasl: SaslSettings };
  const declared = [...settingsOf(type).keys()].flatMap((field) =>
    field === 'tls' || field === 'sasl'
      ? [...settingsOf(sections[field]).keys()].map((each) => `${field}.${each}`)
      : [field],
  );

  const described = new Set(listed);
  // Times and attempts are on the page of the settings, and TLS is described once.
  const elsewhere = /Milliseconds$|^maxRetries$/;
  const missing = declared.filter((field) => !described.has(field) && !elsewhere.test(field));
  expect(missing.filter((field) => name === 'registries' || !field.startsWith('tls.'))).toEqual([]);
  expect(listed.filter((field) => !declared.includes(field))).toEqual([]);
});

test('the table has every option, and no other', () => {
  const listed = tableAfter(PAGE, '\n## Settings\n').flatMap(([names = '']) =>
    names.split(',').map((name) => name.replaceAll('`', '').trim()),
  );

  expect(listed.sort()).toEqual([...knownOptions()].sort());
});
