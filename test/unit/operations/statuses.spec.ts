import { describe, expect, test } from '@jest/globals';
import { type JobView } from '../../../lib/layout/job-view.js';
import { itemStatus, jobStatus } from '../../../lib/operations/statuses.js';
import { anItem, aView, idOf, ipOf } from '../../support/views.js';

describe('The status of a job', () => {
  const disabled = new Map([[ipOf('A'), 'DISABLED' as const]]);
  const gone = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('gone') })];

  test.each<[string, JobView]>([
    ['OK', aView(['A', 'B'])],
    ['CRASHED', aView([])],
    ['CRASHED', aView([], { servers: disabled })],
    ['DISABLED', aView(['A'], { servers: disabled, items: gone })],
    ['DISABLED', aView(['A'], { servers: new Map() })],
    ['OK', aView(['A', 'B'], { servers: new Map([...disabled, [ipOf('B'), 'ENABLED']]) })],
    ['DISABLED', aView(['A'], { servers: new Map([[ipOf('A'), 'UNKNOWN']]) })],
    ['SHARDING_FLAG', aView(['A'], { items: gone })],
    ['SHARDING_FLAG', aView(['A'], { items: [] })],
    ['SHARDING_FLAG', aView(['A'], { items: [anItem(0), anItem(1)] })],
    ['OK', aView(['A'], { items: [anItem(0, { owner: idOf('A') }), anItem(1)] })],
  ])('is %s by the first rule that applies (case %#)', (expected, view) => {
    expect(jobStatus(view)).toBe(expected);
  });
});

describe('The status of an item', () => {
  const view = aView(['A']);
  const gone = { owner: idOf('gone') };

  test.each([
    ['PENDING', anItem(0, { owner: idOf('A') })],
    ['SHARDING_FLAG', anItem(0, gone)],
    ['SHARDING_FLAG', anItem(0)],
    ['RUNNING', anItem(0, { ...gone, running: true })],
    ['DISABLED', anItem(0, { ...gone, running: true, disabled: true })],
  ])('is %s by the first rule that applies (case %#)', (expected, item) => {
    expect(itemStatus(view, item)).toBe(expected);
  });
});
