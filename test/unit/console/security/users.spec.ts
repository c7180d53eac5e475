import { expect, test } from '@jest/globals';
import { hashPassword } from '../../../../lib/console/security/passwords/password-hash.js';
import { parseUsers, type StoredUser, Users } from '../../../../lib/console/security/users/users.js';
import { RegistryConsoleStore } from '../../../../lib/console/store/registry-store.js';
import { StoreDocument } from '../../../../lib/console/store/store-document.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../../lib/registry/embedded/embedded-registry-server.js';
import { systemClock } from '../../../../lib/time/clock.js';

const logger = { error: () => undefined };

test('of two replicas that make the first administrator at the same time, one is refused', async () => {
  const server = new EmbeddedRegistryServer();
  const stores = await Promise.all(
    [1, 2].map(() => {
      const center = new EmbeddedRegistryCenter({ namespace: 'console', server });
      return RegistryConsoleStore.open({ center, isOurs: true, clock: systemClock, logger });
    }),
  );
  const initial: readonly StoredUser[] = [];
  const replicas = await Promise.all(
    stores.map(
      async (store) =>
        new Users([], await StoreDocument.open(store, 'users', { initial, parse: parseUsers }), systemClock),
    ),
  );
  const passwordHash = await hashPassword('a long enough word');

  const made = await Promise.allSettled([
    replicas[0]!.addFirst({ username: 'olga', passwordHash }),
    replicas[1]!.addFirst({ username: 'nora', passwordHash }),
  ]);

  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(made.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'setup-done' } });
  await Promise.all(stores.map((store) => store.onApplicationShutdown()));
});
