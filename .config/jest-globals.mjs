/** What the tests take from Jest, as Vitest has it: for `npm run mutation`. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi as jest } from 'vitest';
