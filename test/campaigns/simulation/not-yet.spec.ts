import { describe, expect, test } from '@jest/globals';
import { aHistory, join } from './a-history.js';
import { NOT_YET, unknownFaults } from './not-yet.js';
import { RULES } from './oracle.js';

describe('the list of what does not hold yet', () => {
  test('names rules that there are, each with a reason', () => {
    for (const { rule, because } of NOT_YET) {
      expect([...Object.keys(RULES), '*']).toContain(rule);
      expect(because).not.toBe('');
    }
  });

  test('never leaves out all rules in all histories', () => {
    expect(NOT_YET.filter(({ rule, of }) => rule === '*' && of === undefined)).toEqual([]);
  });

  test('hides no fault of a rule that it does not name', () => {
    const faults = [{ rule: 'overlaps', text: 'item 0 runs twice' }];

    expect(unknownFaults(aHistory([join('A')]), faults)).toEqual(faults);
  });

  test('hides what it names, where it names it', () => {
    for (const { rule, of } of NOT_YET) {
      const faults = [{ rule, text: 'as expected' }];
      const history = aHistory([join('A')]);

      expect(unknownFaults(history, faults)).toEqual(of === undefined || of(history) ? [] : faults);
    }
  });
});
