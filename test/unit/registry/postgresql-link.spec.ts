import { expect, test } from '@jest/globals';
import { PostgresLink } from '../../../lib/registry/postgresql/connection/link.js';
import { type PostgresDriver } from '../../../lib/registry/postgresql/connection/driver.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

/** A driver whose server lets clients in, and then says nothing. */
class SilentClient {
  readonly host = 'db';
  readonly port = 5432;
  connect = (): Promise<void> => Promise.resolve();
  #reject: (error: Error) => void = () => undefined;
  // As `pg` does: a statement fails when its connection is destroyed.
  readonly connection = { stream: { destroy: () => this.#reject(new Error('Connection terminated')) } };
  query = (): Promise<never> => new Promise((_, reject) => (this.#reject = reject));
  end = (): Promise<void> => Promise.resolve();
  on = (): this => this;
}

test('a server that lets a client in and then answers nothing is left after the deadline of a statement', async () => {
  const clock = new ManualClock();
  const driver = { Client: SilentClient } as unknown as PostgresDriver;
  const client = {
    connectionString: 'postgres://db/app',
    connectionTimeoutMillis: 500,
    application_name: 'test',
    keepAlive: true,
  };

  const opened = PostgresLink.open({
    ...{ driver, place: 'db:5432', client, connections: 2, channel: 'jobs', statementMs: 500, clock },
    onNotification: () => undefined,
  });
  const failure = opened.catch((error: unknown) => String(error));
  await clock.advance(1_500);

  expect(await failure).toContain('no answer came for 1500 ms');
});
