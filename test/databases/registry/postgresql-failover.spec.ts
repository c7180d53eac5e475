/** A replica of PostgreSQL that is promoted in the middle, and a URL that names several hosts. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { RecordingLogger } from '../../unit/nest/application.js';
import { ASYNCHRONOUS, FailoverStage, statesOf, SYNCHRONOUS, untilConnected } from '../support/failover-stage.js';
import { asAdministrator } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const SESSIONS = 'SELECT id FROM elasticjob.ej_session WHERE namespace = $1';

let stage: FailoverStage | undefined;

afterEach(async () => {
  await stage?.[Symbol.asyncDispose]();
  stage = undefined;
});

const setStage = async (settings: readonly string[]): Promise<FailoverStage> =>
  (stage = await FailoverStage.start(settings));

/** Has the job's revisions run ahead of the clock, as after a clock that was set back. */
async function setRevisionAhead({ primary, namespace }: FailoverStage): Promise<void> {
  const ahead = (Date.now() + 3_600_000) * 1_000;
  await asAdministrator(primary.port, 'UPDATE elasticjob.ej_job SET revision = $2 WHERE namespace = $1', [
    namespace,
    ahead,
  ]);
}

const set = (path: string, value: string) => ({ type: 'set', path, value }) as const;
const create = (path: string) => ({ type: 'create', path, value: '' }) as const;

describe('When an asynchronous replica is promoted that lacks the last commits', () => {
  let of: FailoverStage;
  beforeEach(async () => void (of = await setStage(ASYNCHRONOUS)));

  test('no revision comes a second time, of jobs that it knows or not, although the clock was set back', async () => {
    const centre = await of.open();
    await centre.create('/job', '');
    await setRevisionAhead(of);
    await centre.create('/job/known', '');
    await of.untilReplicated('/job/known');
    of.replication.blackHole('up', 'down');
    const lost = [];
    for (let n = 0; n < 3; n++) lost.push(await centre.commit([set('/job', 'lost')]));
    lost.push(await centre.commit([set('/job', 'lost'), create('/new')]));

    await of.failOver();
    await until(() => centre.session.state.phase !== 'connected', 'the centre is not connected');
    await untilConnected(centre);

    expect(await centre.commit([create('/new')])).toBeGreaterThan(Math.max(...lost));
    expect(await centre.commit([set('/job', 'later')])).toBeGreaterThan(Math.max(...lost));
  });

  test('the session is lost, and is followed by another one without its nodes', async () => {
    const centre = await of.open();
    await centre.create('/job/kept', '', 'session');
    await of.untilReplicated('/job/kept');
    const lineage = await centre.lineage();
    of.replication.blackHole('up', 'down');
    await centre.create('/job/lost', '', 'session');
    const states = statesOf(centre);

    await of.failOver();
    await until(() => states.includes('lost'), 'the session is lost');
    await untilConnected(centre);

    expect(states.filter((phase) => phase !== 'connecting')).toEqual(['suspended', 'lost', 'connected']);
    expect(await centre.children('/job')).toEqual([]);
    expect((await centre.lineage())?.id).not.toBe(lineage?.id);
  });

  test('and nothing but a heartbeat, the session is lost all the same', async () => {
    const centre = await of.open({ notify: false });
    await centre.create('/job/kept', '', 'session');
    await of.untilReplicated('/job/kept');
    of.replication.blackHole('up', 'down');
    const beats = async (): Promise<number> =>
      Number((await asAdministrator(of.primary.port, 'SELECT max(beats) AS n FROM elasticjob.ej_session'))[0]?.['n']);
    const before = await beats();
    await until(async () => (await beats()) >= before + 2, 'a heartbeat is confirmed');
    const states = statesOf(centre);

    await of.failOver();
    await until(() => states.includes('lost'), 'the session is lost');
    await untilConnected(centre);

    expect(await centre.children('/job')).toEqual([]);
  });

  test('mirrors that were ahead of it show its tree, and follow it', async () => {
    const centre = await of.open();
    await centre.create('/job', 'kept');
    const mirrors = [await centre.mirror('/job'), await centre.mirror('/')];
    await of.untilReplicated('/job');
    of.replication.blackHole('up', 'down');
    await centre.put('/job', 'lost');
    await centre.put('/job/lost', '');
    await until(() => mirrors.every(({ nodes }) => nodes.has('/job/lost')), 'the mirrors are ahead');

    await of.failOver();
    await until(() => mirrors.every(({ isCurrent }) => !isCurrent), 'the mirrors are out of date');
    await until(() => mirrors.every(({ isCurrent }) => isCurrent), 'the mirrors are current again');
    expect(mirrors.map(({ nodes }) => [nodes.get('/job')?.value, nodes.has('/job/lost')])).toEqual([
      ['kept', false],
      ['kept', false],
    ]);
    await untilConnected(centre);
    await centre.put('/job', 'later');

    await until(() => mirrors.every(({ nodes }) => nodes.get('/job')?.value === 'later'), 'the mirrors follow');
  });
});

describe('When a replica is promoted that has everything', () => {
  test.each([
    ['because commits wait for it', SYNCHRONOUS],
    ['because it was fast enough', ASYNCHRONOUS],
  ])('%s, the session goes on with its nodes, and revisions grow', async (_, settings) => {
    const of = await setStage(settings);
    const centre = await of.open();
    await centre.create('/job/mine', 'x', 'session');
    const revision = await centre.commit([set('/job/mine', 'y')]);
    await centre.create('/job/last', '');
    if (settings === ASYNCHRONOUS) await of.untilReplicated('/job/last');
    const [lineage, { state }] = [await centre.lineage(), centre.session];
    const states = statesOf(centre);

    await of.failOver();
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');

    expect(states).toEqual(['suspended', 'connected']);
    expect(centre.session.state).toEqual(state);
    expect((await centre.lineage())?.id).toBe(lineage?.id);
    expect(await centre.get('/job/mine')).toBe('y');
    expect(await centre.commit([set('/job/mine', 'z')])).toBeGreaterThan(revision);
  });

  test('behind a name or a proxy that leads to it, one host in the URL is enough', async () => {
    const of = await setStage(SYNCHRONOUS);
    await using proxy = Object.assign(await TcpProxy.start(of.primary.port, 'other'), {
      [Symbol.asyncDispose]: () => proxy.close(),
    });
    const centre = await of.open({ port: proxy.port });
    await centre.create('/job', 'x');
    const states = statesOf(centre);

    await of.failOver();
    proxy.retarget(of.replica.port);
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');

    expect(states).toEqual(['suspended', 'connected']);
    expect(await centre.get('/job')).toBe('x');
  });
});

describe('Tables that are made again within a day of a promotion', () => {
  test('give greater revisions than those before them', async () => {
    const of = await setStage(ASYNCHRONOUS);
    const centre = await of.open();
    await centre.create('/job', '');
    await of.untilReplicated('/job');
    await of.failOver();
    await until(() => centre.session.state.phase !== 'connected', 'the centre is not connected');
    await untilConnected(centre);
    const before = await centre.commit([set('/job', 'x')]);

    await asAdministrator(of.replica.port, 'DROP SCHEMA elasticjob CASCADE');
    const again = await of.open({ port: of.replica.port });

    expect(await again.commit([create('/job')])).toBeGreaterThan(before);
  });
});

describe('A pooler that goes on to a promoted server without a word', () => {
  test('has the session come back before it writes', async () => {
    const of = await setStage(ASYNCHRONOUS);
    const centre = await of.open({ notify: false });
    const states = statesOf(centre);

    await asAdministrator(of.primary.port, "UPDATE elasticjob.ej_session SET timeline = '000000FF'");
    const write = centre.put('/job', 'x').catch((error: unknown) => error);

    expect(await write).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');
    expect(states).toEqual(['suspended', 'connected']);
    await centre.put('/job', 'x');
  });
});

describe('A former primary that takes writes again', () => {
  const sessionsAt = async (port: number, namespace: string): Promise<number> =>
    (await asAdministrator(port, SESSIONS, [namespace])).length;
  const formerPlace = ({ primary }: FailoverStage): string => `127.0.0.1:${primary.port}`;

  test('is passed over by a process that starts, which logs it once, although the URL names it first', async () => {
    const of = await setStage(ASYNCHRONOUS);
    await (await of.open()).close();
    await of.failOver();
    await of.primary.start();
    const logger = new RecordingLogger();

    const centre = of.centreAt(`${formerPlace(of)},127.0.0.1:${of.replica.port}`, { logger });
    await untilConnected(centre);

    expect(await sessionsAt(of.replica.port, of.namespace)).toBe(1);
    expect(await sessionsAt(of.primary.port, of.namespace)).toBe(0);
    expect(logger.lines.filter((line) => line.includes('former primary'))).toEqual([
      `warn PostgreSQL at ${formerPlace(of)} is a former primary: it takes writes on timeline 1, and timeline 2 has begun. It is passed over: end it, or make it a standby.`,
    ]);
  });

  test('is not used by a process that knows its successor, whichever host answers at its address', async () => {
    const of = await setStage(ASYNCHRONOUS);
    await (await of.open()).close();
    await of.failOver();
    await of.primary.start();
    await using proxy = Object.assign(await TcpProxy.start(of.replica.port, 'other'), {
      [Symbol.asyncDispose]: () => proxy.close(),
    });
    const centre = await of.open({ port: proxy.port });

    proxy.retarget(of.primary.port);
    proxy.cut();
    await until(() => centre.session.reason?.includes('former primary') === true, 'the reason names it');
    expect(await sessionsAt(of.primary.port, of.namespace)).toBe(0);

    proxy.retarget(of.replica.port);
    await untilConnected(centre);
  });
});

describe('A URL with several hosts', () => {
  test('says of each host why it cannot be used', async () => {
    const of = await setStage(ASYNCHRONOUS);
    await of.open();
    await of.primary.end('SIGKILL');
    const centre = of.centreAt(`127.0.0.1:${of.primary.port},127.0.0.1:${of.replica.port}`);

    await until(() => centre.session.reason?.includes(';') === true, 'the reason names both');

    expect(centre.session.reason).toBe(
      `ECONNREFUSED 127.0.0.1:${of.primary.port}; it is a standby, which takes no writes (127.0.0.1:${of.replica.port})`,
    );
    expect(centre.description).toContain(`127.0.0.1:${of.primary.port},127.0.0.1:${of.replica.port}`);
  });

  test('leaves a server that lets it in and takes no writes', async () => {
    const of = await setStage(ASYNCHRONOUS);
    const { namespace, primary: readOnly } = of;
    const { port } = serverOf('postgres');
    const first = `127.0.0.1:${readOnly.port}`;
    const centre = of.centreAt(`${first},127.0.0.1:${port}`);
    await untilConnected(centre);
    expect(await asAdministrator(readOnly.port, SESSIONS, [namespace])).toHaveLength(1);

    await asAdministrator(readOnly.port, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await asAdministrator(readOnly.port, 'SELECT pg_reload_conf()');
    const late = of.centreAt(`${first},127.0.0.1:${port}`);
    await untilConnected(late);
    await until(
      () =>
        centre.put('/job', 'x').then(
          () => true,
          () => false,
        ),
      'the other one writes elsewhere, too',
    );

    expect(await asAdministrator(port, SESSIONS, [namespace])).toHaveLength(2);
  });
});
