import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { freePort } from '../../support/free-port.js';
import { JumpingClock } from '../../support/jumping-clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { endSession } from '../../support/session-end.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { FakeServer } from './fake-server.js';
import { rejectionOf, TestClient } from './test-client.js';

const zookeeper = sharedZooKeeper();
const NOTHING = Buffer.alloc(0);

/** A node for one test. */
function node(): string {
  return `/${zookeeper.namespace()}`;
}

/** Resolves after the event loop has gone round, so that what was sent has been written. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('Before and after the connection', () => {
  test('a request made while not connected rejects at once and has had no effect', async () => {
    const client = TestClient.of(`127.0.0.1:${await freePort()}`);

    const beforeConnect = await rejectionOf(client.getData('/'));
    client.connect();
    const whileConnecting = await rejectionOf(client.create('/x', NOTHING, 'persistent'));
    await client.close();
    const afterClose = await rejectionOf(client.getData('/'));

    expect(beforeConnect).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: false });
    expect(whileConnecting).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: false });
    expect(String(whileConnecting)).toContain('Could not create /x: not connected to ZooKeeper. Nothing was changed.');
    expect(afterClose).toMatchObject({ errorName: 'SESSION_EXPIRED', outcomeUnknown: false });
    expect(client.phases).toEqual(['closed']);
  });

  test('the state has the session, the granted timeout and the server', async () => {
    const server = zookeeper.servers;
    const clock = new ManualClock();
    await using client = TestClient.of(server, { clock, sessionTimeoutMs: 300 });
    const before = client.lastHeardAt;

    await clock.advance(5_000);
    client.connect();
    client.connect();
    await client.passed('connected', 1);

    expect(client.states[0]).toEqual({
      phase: 'connected',
      sessionId: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown as string,
      timeoutMs: 400,
      server,
    });
    expect(before).toBe(-Infinity);
    expect([client.lastHeardAt, client.renewedAt]).toEqual([5_000, 5_000]);
  });

  test('a client may be closed twice, at any moment, and then calls no listener', async () => {
    const connecting = TestClient.of(zookeeper.servers);
    connecting.connect();
    await connecting.close();
    const connected = await TestClient.connect(zookeeper.servers);
    await Promise.all([connected.close(), connected.close()]);
    connected.connect();
    await turn();

    expect(connecting.phases).toEqual(['closed']);
    expect(connected.phases).toEqual(['connected', 'closed']);
  });

  test('requests made before close() are answered', async () => {
    const client = await TestClient.connect(zookeeper.servers);

    const reading = client.exists('/');
    const closing = client.close();

    await expect(reading).resolves.toBeDefined();
    await closing;
  });

  test('close() ends although the server is silent', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    const client = await TestClient.connect(proxy.address);
    proxy.blackHole('up', 'down');

    const write = rejectionOf(client.setData('/', NOTHING));
    await client.close();

    expect(await write).toMatchObject({ errorName: 'SESSION_EXPIRED', outcomeUnknown: true });
  });

  test('a listener may close the client in which it is called', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    const client = await TestClient.connect(proxy.address);
    const phases: string[] = [];
    client.onState = ({ phase }) => {
      phases.push(phase);
      if (phase === 'disconnected') void client.close();
    };

    proxy.cut();
    await client.reached('closed');
    await turn();

    expect(phases).toEqual(['disconnected', 'closed']);
    expect(proxy.accepted).toBe(1);
  });

  test('a listener of the state that throws harms nothing', async () => {
    await using client = TestClient.of(zookeeper.servers);
    client.onState = () => {
      throw new Error('no use for a state');
    };

    client.connect();
    await client.reached('connected');

    expect(await client.exists('/')).toBeDefined();
  });
});

describe('Servers', () => {
  test('a dead server is passed over', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    for (let round = 0; round < 4; round++) {
      await using client = await TestClient.connect(`${dead},${zookeeper.servers}`);

      expect(client.state).toMatchObject({ server: zookeeper.servers });
    }
  });

  test('a silent server is passed over after its share of the session timeout', async () => {
    await using silent = await TcpProxy.start(zookeeper.servers);
    silent.blackHole('up', 'down');
    for (let round = 0; round < 4; round++) {
      await using client = await TestClient.connect(`${silent.address},${zookeeper.servers}`, {
        sessionTimeoutMs: 1000,
      });

      expect(client.state).toMatchObject({ server: zookeeper.servers });
    }
  });

  test('a name that does not exist is an ordinary failure', async () => {
    await using client = await TestClient.connect(`no-such-host.invalid:2181,${zookeeper.servers}`);

    expect(client.state).toMatchObject({ phase: 'connected', server: zookeeper.servers });
  });

  test('while no server can be reached, each attempt comes after a pause, and pauses become longer', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    proxy.retarget(await freePort());
    const clock = new ManualClock();
    await using client = TestClient.of(proxy.address, { clock });
    const pauses: number[] = [];
    client.onFault = () => pauses.push(clock.nextTimerInMs ?? 0);

    client.connect();
    for (let attempts = 1; attempts <= 10; attempts++) {
      await until(() => pauses.length === attempts);
      await clock.advance(pauses.at(-1)! - 1);
      expect(proxy.accepted).toBe(attempts);
      await clock.advance(1);
    }

    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...pauses)).toBeGreaterThan(50);
  });
});

describe('A lost connection', () => {
  test('is replaced within the same session, which keeps its ephemeral nodes', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    const path = node();
    await client.create(path, NOTHING, 'ephemeral');

    proxy.cut();
    await client.passed('connected', 2);

    const [first, , second] = client.states;
    expect(client.phases).toEqual(['connected', 'disconnected', 'connected']);
    expect(second).toEqual(first);
    expect((await client.exists(path))?.ephemeralOwner).toBe((first as { sessionId: string }).sessionId);
  });

  test('leaves the outcome of a request unknown that had been sent', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    await using observer = await TestClient.connect(zookeeper.servers);
    const path = node();
    proxy.blackHole('down');

    const failure = rejectionOf(client.create(path, NOTHING, 'persistent'));
    await until(async () => (await observer.exists(path)) !== undefined);
    proxy.cut();

    expect(await failure).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: true });
    expect(String(await failure)).toContain(`while trying to create ${path}`);
  });

  test('rejects every request that waits, and none twice', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    proxy.blackHole('down');

    const requests = Array.from({ length: 1000 }, () => rejectionOf(client.getData('/')));
    await until(() => proxy.count('getData') === 1000);
    proxy.cut();

    const failures = await Promise.all(requests);
    expect(failures.every((failure) => (failure as { errorName: string }).errorName === 'CONNECTION_LOSS')).toBe(true);
  });

  test('has had no effect on requests of the tick in which it was noticed', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    let last: Promise<unknown> = Promise.resolve();
    client.onState = ({ phase }) => {
      if (phase === 'disconnected') last = rejectionOf(client.create(node(), NOTHING, 'persistent'));
    };

    proxy.cut();
    await client.reached('disconnected');

    expect(await last).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: false });
  });

  test('is survived by watches, which do not report what was missed', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    await using writer = await TestClient.connect(zookeeper.servers);
    const path = node();
    await writer.create(path, NOTHING, 'persistent');
    await client.addWatch(path);

    proxy.refuse();
    proxy.cut();
    await client.reached('disconnected');
    await writer.create(`${path}/missed`, NOTHING, 'persistent');
    proxy.heal();
    await client.passed('connected', 2);
    await client.sync(path);
    await writer.create(`${path}/seen`, NOTHING, 'persistent');

    await until(() => client.events.length > 0);
    expect(client.events).toMatchObject([{ type: 'created', path: `${path}/seen` }]);
  });

  test('is survived by so many watches that they do not fit into one message', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    const path = node();
    const paths = Array.from({ length: 6000 }, (_, index) => `${path}-${'x'.repeat(200)}-${index}`);
    await Promise.all(paths.map((each) => client.addWatch(each)));

    proxy.resetRequests();
    proxy.cut();
    await client.passed('connected', 2);
    await client.create(paths[0]!, NOTHING, 'ephemeral');
    await client.create(paths.at(-1)!, NOTHING, 'ephemeral');

    expect(proxy.count('setWatches2')).toBeGreaterThan(8);
    expect(client.events.map((event) => event.path)).toEqual([paths[0], paths.at(-1)]);
    expect(client.phases).toEqual(['connected', 'disconnected', 'connected']);
  });

  test('forgets a watch that was removed meanwhile', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    const path = node();
    await client.addWatch(path);

    proxy.cut();
    await client.reached('disconnected');
    const removal = await rejectionOf(client.removeWatch(path));
    await client.passed('connected', 2);
    await client.create(path, NOTHING, 'ephemeral');

    expect(removal).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: false });
    expect(client.events).toEqual([]);
  });

  test('forgets a watch that was removed before its setting was answered', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    await using client = await TestClient.connect(proxy.address);
    const path = node();
    await Promise.all([client.addWatch(path), client.removeWatch(path)]);

    proxy.cut();
    await client.passed('connected', 2);
    await client.create(path, NOTHING, 'ephemeral');

    expect(proxy.count('setWatches2')).toBe(0);
    expect(client.events).toEqual([]);
  });

  test('that comes again and again is no reason to dial without pause', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    const clock = new ManualClock();
    await using client = TestClient.of(proxy.address, { clock });
    const pauses: number[] = [];
    client.onState = ({ phase }) => {
      if (phase === 'connected') proxy.cut();
      else if (phase === 'disconnected') pauses.push(clock.nextTimerInMs ?? 0);
    };

    client.connect();
    for (let losses = 1; losses <= 6; losses++) {
      await until(() => pauses.length === losses);
      await clock.advance(pauses.at(-1)! - 1);
      expect(proxy.accepted).toBe(losses);
      await clock.advance(1);
    }

    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(50);
  });
});

describe('Pieces of messages', () => {
  test('answers are understood byte by byte', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    proxy.chunk(1);
    await using client = await TestClient.connect(proxy.address);
    const path = node();

    await client.create(path, Buffer.alloc(2000, 'y'), 'ephemeral');

    expect((await client.getData(path)).data).toEqual(Buffer.alloc(2000, 'y'));
  });
});

describe('Silence', () => {
  test('of the network is noticed after two thirds of the timeout, and pending requests fail', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    const clock = new ManualClock();
    await using client = await TestClient.connect(proxy.address, { clock, sessionTimeoutMs: 60_000 });

    proxy.blackHole('up', 'down');
    const failure = rejectionOf(client.getData('/'));
    await clock.advance(39_999);
    await turn();
    expect(client.phases).toEqual(['connected']);
    await clock.advance(1);
    await client.reached('disconnected');

    expect(await failure).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: true });
    expect(client.state).toMatchObject({
      reason: expect.stringContaining('the server was silent for 40000 ms') as unknown as string,
    });
  });

  test('of a server that is asked nothing is noticed as well', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    const clock = new JumpingClock();
    await using client = await TestClient.connect(proxy.address, { clock, sessionTimeoutMs: 60_000 });

    proxy.blackHole('down');
    clock.jump(20_000);
    await until(() => proxy.count('ping') === 1);
    clock.jump(30_000);
    await client.reached('disconnected');
    proxy.heal();
    await client.passed('connected', 2);

    expect(client.phases).toEqual(['connected', 'disconnected', 'connected']);
  });

  test('of a frozen server ends when it thaws', async () => {
    await using server = await ZooKeeperServer.start();
    await using client = await TestClient.connect(server.address, { sessionTimeoutMs: 1500 });

    server.pause();
    // Under load a server that is being frozen may answer once more.
    const askUntilItFails = async (): Promise<never> => {
      for (;;) await client.getData('/');
    };
    const failure = rejectionOf(askUntilItFails());
    await client.reached('disconnected');
    server.resume();
    await until(() => client.states.length > 2);

    expect(await failure).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: true });
    expect(['connected', 'expired']).toContain(client.states[2]?.phase);
  });

  test('of this process does not count as silence of the server', async () => {
    const clock = new JumpingClock();
    const stop = (): void => clock.jump(46_000);
    const PING = 11;
    const afterAnswer = [stop];
    await using server = await FakeServer.start(
      ({ xid, opcode }, { reply }) => {
        reply(xid, 0);
        // The answer is in the client's socket now; timers run before the client reads it.
        if (opcode !== PING) afterAnswer.pop()?.();
      },
      { timeoutMs: 60_000 },
    );
    await using client = await TestClient.connect(server.address, { clock });

    await client.delete('/stopped-with-an-answer-in-the-socket');
    await turn();
    stop();
    await client.delete('/stopped-with-nothing-asked');
    await client.delete('/later');

    expect(afterAnswer).toEqual([]);
    expect(client.phases).toEqual(['connected']);
  });

  test('is broken by pings, also on the side that only listens', async () => {
    await using writer = await TestClient.connect(zookeeper.servers);
    const clock = new ManualClock();
    await using listener = await TestClient.connect(zookeeper.servers, { clock, sessionTimeoutMs: 60_000 });
    const path = node();
    await writer.create(path, NOTHING, 'persistent');
    await listener.addWatch(path);

    let written = 0;
    // Longer than two sessions, in steps after which a ping is due.
    for (let step = 0; step < 7; step++) {
      await writer.setData(path, Buffer.from(String(written++)));
      await until(() => listener.events.length === written);
      await clock.advance(18_000);
      await until(() => listener.renewedAt === clock.monotonic() || listener.phases.length > 1);
    }

    expect(listener.phases).toEqual(['connected']);
  });
});

describe('The end of a session', () => {
  test('while connected is reported after a reconnection', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    const client = await TestClient.connect(proxy.address, { sessionTimeoutMs: 1000 });
    const path = node();
    await client.create(path, NOTHING, 'ephemeral');

    await endSession(zookeeper.servers, proxy.session);
    await client.reached('expired');

    expect(client.phases.at(-1)).toBe('expired');
    expect(await rejectionOf(client.getData('/'))).toMatchObject({
      errorName: 'SESSION_EXPIRED',
      outcomeUnknown: false,
    });
    await client.close();
    expect(client.phases.at(-1)).toBe('expired');
  });

  test('while disconnected is reported as soon as a server is reached', async () => {
    await using proxy = await TcpProxy.start(zookeeper.servers);
    const client = await TestClient.connect(proxy.address);

    proxy.refuse();
    proxy.cut();
    await client.reached('disconnected');
    await endSession(zookeeper.servers, proxy.session);
    const before = client.state.phase;
    proxy.heal();
    await client.reached('expired');

    expect(before).toBe('disconnected');
    expect(client.phases).toEqual(['connected', 'disconnected', 'expired']);
    await client.close();
  });

  test('does not come with the restart of a server', async () => {
    await using server = await ZooKeeperServer.start();
    await using client = await TestClient.connect(server.address);
    const path = node();
    await client.create(path, NOTHING, 'ephemeral');

    await server.restart();
    await client.passed('connected', 2);

    expect(await client.exists(path)).toBeDefined();
    expect(client.states[2]).toEqual(client.states[0]);
  });
});
