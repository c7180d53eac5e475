/** The functions that tests import from Jest, from Vitest instead: for `npm run mutation`. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi as jest } from 'vitest';
