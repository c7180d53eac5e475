/** Holds docs/health.md against the code. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReady, type JobHealth } from '../../lib/kernel/life/job-health.js';
import { root } from '../support/program.js';

/** All states: one that is missing here, or too many, does not compile. */
const STATES: Readonly<Record<JobHealth['state'], true>> = {
  ...{ active: true, created: true, starting: true, impaired: true, blocked: true, disabled: true, suspended: true },
  ...{ stopping: true, stopped: true, ended: true, removed: true, failed: true },
};

test('the page lists every state of a job, and whether it is ready', () => {
  const page = readFileSync(join(root, 'docs/health.md'), 'utf8');
  const [, table = ''] = /^## States of a job\n([^]*?)^## /m.exec(page) ?? [];

  const rows = [...table.matchAll(/^\| `(\w+)` +\| (yes|no) +\|/gm)].map(([, state, ready]) => [state, ready]);

  const expected = Object.keys(STATES).map((state) => [state, isReady({ state } as JobHealth) ? 'yes' : 'no']);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected));
});
