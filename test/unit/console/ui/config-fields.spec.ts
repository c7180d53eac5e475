/** The form of a job's settings, without a browser. */
import { describe, expect, test } from '@jest/globals';
import { RUN_LIMITS } from '../../../../lib/api/settings/run-limits.js';
import {
  changeOf,
  type Field,
  GROUPS,
  partsOf,
  propsOf,
  repeatedNames,
  rowsOf,
  shownIn,
} from '../../../../lib/console/ui/pages/job/settings/config-fields.js';

const fields = GROUPS.flatMap((group) => group.fields);
const fieldOf = (name: string): Field => fields.find((field) => field.name === name)!;

describe('properties', () => {
  const props = { 'http.data': '{\n  "region": "a=b"\n}', 'script.command.line': 'run.sh' };

  test('stay whole, line breaks and equals signs included, when another one is edited', () => {
    const rows = rowsOf(props).map((row) => (row.value === 'run.sh' ? { ...row, value: 'run2.sh' } : row));

    expect(propsOf(rows)).toEqual({ ...props, 'script.command.line': 'run2.sh' });
  });

  test('without a name are not stored, and two with the same name are told', () => {
    const rows = [...rowsOf({ a: '1' }), { name: '', value: 'x' }, { name: 'a', value: '2' }];

    expect(propsOf(rows)).toEqual({ a: '1' });
    expect(repeatedNames(rows)).toEqual(['a']);
  });
});

describe('limits of runs', () => {
  test('have fields, and are the properties that the library reads', () => {
    const stored = Object.entries(RUN_LIMITS).map(([name, { property }]) => [name, property]);

    expect(stored.map(([name]) => [name, fieldOf(name!).property])).toEqual(stored);
  });

  test('are shown, changed and removed beside the other properties, and have no row', () => {
    const draft = { jobName: 'a', shardingTotalCount: 1, props: { 'run.maxRetries': '2', x: 'y' } };

    expect(shownIn(draft, fieldOf('maxRetries'))).toBe('2');
    expect(changeOf(draft, fieldOf('maxRetries'), 3)).toEqual(['props', { 'run.maxRetries': '3', x: 'y' }]);
    expect(changeOf(draft, fieldOf('maxRetries'), undefined)).toEqual(['props', { x: 'y' }]);
    expect(partsOf(draft.props).rows).toEqual({ x: 'y' });
  });
});
