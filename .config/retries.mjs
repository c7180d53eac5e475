/**
 * RETRIES=1 gives a test that fails another try, and the last line says how many needed one. For the tests beside Java
 * alone: in which order Java's threads and processes get to run is not ours to decide, and some outcomes depend on it.
 */
import { jest } from '@jest/globals';

const retries = Number(process.env.RETRIES ?? 0);
if (retries > 0) jest.retryTimes(retries, { logErrorsBeforeRetry: true });
