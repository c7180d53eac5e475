import { expect, test } from '@jest/globals';
import { processTimeZoneProblem } from '../../../lib/settings/process-time-zone.js';
import { elasticJob, RecordingLogger, started } from './application.js';

test('an application whose TZ is not known says once, when it starts, that it runs in UTC', async () => {
  const { TZ } = process.env;
  process.env['TZ'] = 'asia/shanghai';
  try {
    const logger = new RecordingLogger();
    const app = await started({ imports: [elasticJob({ logger })] });
    await app.close();

    // The test's environment is a copy: the zone of this process stays the one with which it has started.
    const problem = processTimeZoneProblem('asia/shanghai', Date.now());
    expect(logger.lines.filter((line) => line.includes('TZ'))).toEqual(
      problem === undefined ? [] : [`warn ${problem}`],
    );
  } finally {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  }
});
