import { expect, test } from '@jest/globals';
import { OwnWrites } from '../../../lib/registry/zookeeper/operations/own-writes.js';

test('the newest transaction is the greatest number seen, until the session is lost', () => {
  const writes = new OwnWrites();
  writes.saw(7n);
  writes.saw(5n);
  expect(writes.newestZxid).toBe(7n);

  // The next session may find servers that have lost data.
  writes.forget();
  writes.saw(2n);

  expect(writes.newestZxid).toBe(2n);
});
