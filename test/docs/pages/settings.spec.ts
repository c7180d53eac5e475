import { describe, expect, test } from '@jest/globals';
import { withDefaults } from '../../../lib/api/job/job-configuration.js';
import { settingsOf } from '../../../lib/api/settings/setting.js';
import { DumpSettings } from '../../../lib/settings/dump-settings.js';
import { JobSettings } from '../../../lib/settings/job-settings.js';
import { ModuleSettings } from '../../../lib/settings/module-settings.js';
import { RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { TracingSettings } from '../../../lib/settings/tracing-settings.js';
import { toQuartz } from '../../../lib/time/crontab.js';
import { tableAfter } from './pages.js';

const TYPES: Readonly<Record<string, string>> = {
  text: 'text',
  integer: 'integer',
  boolean: 'boolean',
  'text-list': 'list',
  'text-map': 'keys and texts',
};

/** Names and types of the settings that files may hold. */
function declared(type: new () => object): Readonly<Record<string, string | undefined>> {
  const inFiles = [...settingsOf(type)].filter(([, { kind }]) => kind !== 'code' && kind !== 'section');
  return Object.fromEntries(inFiles.map(([name, { kind }]) => [name, TYPES[kind]]));
}

describe('the tables of the pages', () => {
  test.each([
    ['docs/settings.md', '\n`elasticjob`:\n', ModuleSettings],
    ['docs/settings.md', '\n`elasticjob.regCenter`:\n', RegCenterSettings],
    ['docs/settings.md', '\n`elasticjob.jobs.<jobName>`', JobSettings],
    ['docs/tracing.md', '\n## Switching it on', TracingSettings],
    ['docs/dump.md', '\n`elasticjob.dump`:\n', DumpSettings],
  ])('of %s list all settings and their types below %j', (page, introduction, type) => {
    const rows = tableAfter(page, introduction).map(([name, kind]) => [name, kind] as const);
    const found = Object.fromEntries(rows) as Readonly<Record<string, string | undefined>>;

    expect(found).toEqual(declared(type));
  });

  test('list the defaults of jobs', () => {
    const defaults = withDefaults('job', { shardingTotalCount: 1 }) as unknown as Readonly<Record<string, unknown>>;
    const told = tableAfter('docs/settings.md', '\n`elasticjob.jobs.<jobName>`').flatMap(([name = '', kind, text]) =>
      kind === 'boolean' || kind === 'integer' ? [[name, text] as const] : [],
    );

    const wrong = told.filter(
      ([name, text]) => name in defaults && text !== 'required' && text !== String(defaults[name]),
    );

    expect(told.length).toBeGreaterThan(8);
    expect(wrong).toEqual([]);
  });

  test('show what crontab text becomes', () => {
    const rows = tableAfter('docs/cron.md', '# Cron').map(([written = '', stored]) => [toQuartz(written), stored]);

    expect(rows.length).toBeGreaterThan(3);
    for (const [quartz, stored] of rows) expect(stored).toBe(quartz);
  });
});
