/** Placeholders of Spring, in files that a Java application shares. */
import { expect, test } from '@jest/globals';
import { hasPlaceholder } from '../../../lib/api/settings/placeholder.js';

test.each(['${CRON}', '0 0 ${HOUR:12} * * ?', '${}'])('%p has a placeholder', (text) => {
  expect(hasPlaceholder(text)).toBe(true);
});

test.each(['', '$CRON', '{CRON}', '${CRON', undefined, ['${CRON}']])('%p has none', (value) => {
  expect(hasPlaceholder(value)).toBe(false);
});
