/** The reason that a suspended session on PostgreSQL gives: the fault that holds now, and no earlier one. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Statements } from '../../../lib/registry/postgresql/statements.js';
import { until } from '../../support/until.js';
import { asAdministrator, newName, openPostgresql, openTransaction } from '../support/postgresql-centres.js';
import { DatabaseServer } from '../support/servers.js';

let server: DatabaseServer;
beforeEach(async () => void (server = await DatabaseServer.start('postgres')));
afterEach(() => server[Symbol.asyncDispose]());

const administrate = (text: string) => asAdministrator(server.port, text);
const numberOf = async (text: string): Promise<number> => Number((await administrate(text))[0]?.['n']);

/** Resolves when a statement of that name waits for a lock. */
const untilWaiting = (name: string): Promise<void> =>
  until(
    async () =>
      (await numberOf(
        `SELECT count(*) AS n FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND application_name <> 'test' AND query LIKE '%${name}(%'`,
      )) > 0,
    `${name} waits`,
  );

describe('The reason why a session is suspended', () => {
  test('is not a fault that was over before', async () => {
    await using stage = await openPostgresql(server.address, { sessionTimeoutMilliseconds: 3_000 });
    const reasons: (string | undefined)[] = [];
    stage.centre.session.onChange(({ phase }) => {
      if (phase === 'suspended') reasons.push(stage.centre.session.reason);
    });
    // No rollback takes back what a sequence has given.
    await administrate(
      `CREATE SEQUENCE elasticjob.sweeps;
       CREATE OR REPLACE FUNCTION elasticjob.ej_sweep(ns text, channel text) RETURNS boolean LANGUAGE plpgsql AS $$
       BEGIN
         IF nextval('elasticjob.sweeps') = 1 THEN RAISE EXCEPTION 'the sweep fails'; END IF;
         DELETE FROM elasticjob.ej_session WHERE epoch = 0;
         RETURN false;
       END $$;
       INSERT INTO elasticjob.ej_session SELECT gen_random_uuid(), namespace, 0, 1, clock_timestamp()
         FROM elasticjob.ej_session`,
    );
    await until(async () => (await numberOf('SELECT last_value AS n FROM elasticjob.sweeps')) >= 2, 'a sweep succeeds');
    const beats = 'SELECT max(beats) AS n FROM elasticjob.ej_session';
    const before = await numberOf(beats);
    await until(async () => (await numberOf(beats)) > before, 'a heartbeat is confirmed');

    stage.proxy.cut();
    await until(() => reasons.length > 0, 'the session is suspended');

    expect(reasons[0]).toMatch(/^the server has closed the connection|ECONNRESET/);
  });

  test('is the refusal of a write, not the heartbeat that broke with its link', async () => {
    const namespace = newName();
    await using stage = await openPostgresql(server.address, { namespace, sessionTimeoutMilliseconds: 60_000 });
    const { centre, proxy } = stage;
    await centre.put('/job', 'x');
    await administrate(
      `CREATE FUNCTION elasticjob.refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'the disk is full' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER refuse BEFORE UPDATE ON elasticjob.ej_node EXECUTE FUNCTION elasticjob.refuse()`,
    );
    // Heartbeats wait for it, and commits do not.
    await using blocker = await openTransaction(server.port, 'SELECT FROM elasticjob.ej_session FOR NO KEY UPDATE');
    const { channel } = new Statements({ schema: 'elasticjob', namespace, notify: true });
    await administrate(`SELECT pg_notify('${channel}', 'end *')`);
    await untilWaiting('ej_beat');

    const written = centre.put('/job', 'y').catch((error: unknown) => error);
    expect(await written).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    await untilWaiting('ej_attach');

    expect(centre.session.state.phase).toBe('suspended');
    expect(centre.session.reason).toBe(`the disk is full (${proxy.address})`);
    await blocker[Symbol.asyncDispose]();
    await until(() => centre.session.state.phase === 'connected', 'the centre is connected');
  });
});
