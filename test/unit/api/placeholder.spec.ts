/** Placeholders of Spring, in files that a Java application shares, and of Kubernetes. */
import { expect, test } from '@jest/globals';
import { placeholderProblem } from '../../../lib/api/settings/placeholder.js';
import { english } from '../../support/english.js';

test.each(['${CRON}', '0 0 ${HOUR:12} * * ?', '${}'])('%p has a placeholder of files', (text) => {
  expect(english(placeholderProblem(text))).toBe(
    'must not have placeholders such as ${…}, which are replaced in files only',
  );
});

test.each(['$(CRON)', 'redis://$(REDIS_HOST):6379', 'a $(x.y-z)'])('%p has a placeholder of Kubernetes', (text) => {
  expect(english(placeholderProblem(text))).toMatch(
    /^must not have \$\(.+\), which Kubernetes leaves as it is if the container has no variable/,
  );
});

test.each(['', '$CRON', '{CRON}', '${CRON', '$()', '$(date +%s)', '(CRON)', undefined, ['${CRON}']])(
  '%p has none',
  (value) => {
    expect(english(placeholderProblem(value))).toBeUndefined();
  },
);
