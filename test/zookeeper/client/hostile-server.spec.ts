import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JuteWriter } from '../../../lib/registry/zookeeper/client/wire/jute.js';
import { addWatch, setWatches, watcherEvent } from '../../../lib/registry/zookeeper/client/wire/messages.js';
import { expectAsyncProperty } from '../../support/property.js';
import { until } from '../../support/until.js';
import { type Behaviour, FakeServer } from './fake-server.js';
import { rejectionOf, TestClient } from './test-client.js';

const SILENT: Behaviour = () => undefined;

describe('Answers', () => {
  test.each([
    [-125, 'QUOTA_EXCEEDED'],
    [-127, 'THROTTLED'],
    [-118, 'SESSION_MOVED'],
    [-114, 'INVALID_ACL'],
    [-6, 'UNIMPLEMENTED'],
    [-7, 'OPERATION_TIMEOUT'],
    [-999, 'OTHER'],
    [77, 'OTHER'],
  ])('with the error %d reject the request only', async (code, errorName) => {
    await using server = await FakeServer.start(({ xid }, connection) => connection.reply(xid, code));
    await using client = await TestClient.connect(server.address);

    const refusal = await rejectionOf(client.getData('/x'));

    expect(refusal).toMatchObject({ errorName, errorCode: code, outcomeUnknown: false });
    expect(client.phases).toEqual(['connected']);
  });

  test.each([
    ['to another request', ({ xid }, connection) => connection.reply(xid + 1, 0)],
    ['that end too early', ({ xid }, connection) => connection.reply(xid, 0, Buffer.from('000000', 'hex'))],
    ['with a length that cannot be', (_, { socket }) => socket.write(Buffer.from('7fffffff', 'hex'))],
    ['without a header', (_, { socket }) => socket.write(Buffer.from('00000000', 'hex'))],
  ] as readonly [string, Behaviour][])('%s break the connection, and nothing waits for ever', async (_, behaviour) => {
    await using server = await FakeServer.start(behaviour);
    await using client = await TestClient.connect(server.address);

    const failures = await Promise.all([client.getData('/x'), client.getData('/y')].map(rejectionOf));

    expect(failures).toMatchObject([{ errorName: 'CONNECTION_LOSS' }, { errorName: 'CONNECTION_LOSS' }]);
    expect(client.states[1]).toMatchObject({ phase: 'disconnected' });
  });

  test('that say the session has ended reject the request; the session ends when the server says so in a greeting', async () => {
    await using server = await FakeServer.start(({ xid }, connection) => connection.reply(xid, -112));
    await using client = await TestClient.connect(server.address);
    const renewedAt = client.renewedAt;

    expect(await rejectionOf(client.getData('/x'))).toMatchObject({ errorName: 'SESSION_EXPIRED' });
    expect(client.renewedAt).toBe(renewedAt);
  });

  test('that never come although pings are answered do not keep a request waiting for ever', async () => {
    const behaviour: Behaviour = ({ xid, opcode }, connection) => {
      if (opcode === 11) connection.reply(xid, 0);
    };
    await using server = await FakeServer.start(behaviour, { timeoutMs: 600 });
    await using client = await TestClient.connect(server.address);

    const failure = await rejectionOf(client.getData('/x'));

    expect(failure).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: true });
  });
});

describe('Watches', () => {
  /**
   * Answers the requests for watches with these errors, in turn; calls `onAllWatches` when all watches are set again.
   */
  function answering(errors: number[], onAllWatches: () => void): Behaviour {
    return ({ xid, opcode }, connection) => {
      if (opcode === setWatches.opcode) onAllWatches();
      connection.reply(xid, (opcode === addWatch.opcode && errors.shift()) || 0);
    };
  }

  async function reconnect(client: TestClient, server: FakeServer): Promise<void> {
    server.connections[0]!.socket.destroy();
    await client.passed('connected', 2);
    // The answer proves that the server has read all that came with the connection.
    await client.delete('/x');
  }

  test('that were refused are not set again on the next connection', async () => {
    let times = 0;
    await using server = await FakeServer.start(answering([-102], () => times++));
    await using client = await TestClient.connect(server.address);

    const refusal = await rejectionOf(client.addWatch('/x'));
    await reconnect(client, server);

    expect(refusal).toMatchObject({ errorName: 'NO_AUTH' });
    expect(times).toBe(0);
  });

  test('that are set remain so if they are asked for again and that is refused', async () => {
    let times = 0;
    await using server = await FakeServer.start(answering([0, -127], () => times++));
    await using client = await TestClient.connect(server.address);
    await client.addWatch('/x');

    const refusal = await rejectionOf(client.addWatch('/x'));
    await reconnect(client, server);

    expect(refusal).toMatchObject({ errorName: 'THROTTLED' });
    expect(times).toBe(1);
  });
});

describe('Requests', () => {
  test('that had not been written when the connection broke have had no effect', async () => {
    const event = JuteWriter.frame(watcherEvent, { type: 1, state: 3, path: '/x' }).subarray(4);
    await using server = await FakeServer.start(SILENT);
    await using client = await TestClient.connect(server.address);
    const written = rejectionOf(client.getData('/before'));
    let unwritten: Promise<unknown> = Promise.resolve();
    client.onWatch = () => {
      unwritten = rejectionOf(client.create('/y', Buffer.alloc(0), 'persistent'));
    };
    await until(() => server.requests > 0);

    const { socket, reply } = server.connections[0]!;
    socket.cork();
    reply(-1, 0, event);
    socket.write(Buffer.from('ffffffff', 'hex'));
    socket.uncork();
    await client.passed('disconnected', 1);

    expect(await written).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: true });
    expect(await unwritten).toMatchObject({ errorName: 'CONNECTION_LOSS', outcomeUnknown: false });
  });
});

describe('Watch events', () => {
  test('carry the transaction if the server sends it, and unknown types are ignored', async () => {
    const event = (type: number): Buffer => JuteWriter.frame(watcherEvent, { type, state: 3, path: '/x' }).subarray(4);
    await using server = await FakeServer.start(SILENT);
    await using client = await TestClient.connect(server.address);

    const [connection] = server.connections;
    connection!.reply(-1, 0, event(-1), -1n);
    connection!.reply(-1, 0, event(99), 8n);
    connection!.reply(-1, 0, event(1), -1n);
    connection!.reply(-1, 0, event(4), 9n);
    await until(() => client.events.length === 2);

    expect(client.events).toEqual([
      { type: 'created', path: '/x' },
      { type: 'children', path: '/x', zxid: 9n },
    ]);
  });
});

describe('Credentials', () => {
  test('that a server refuses end the session with the reason, before anything is asked', async () => {
    const AUTH_FAILED = -115;
    const opcodes: number[] = [];
    await using server = await FakeServer.start(({ xid, opcode }, { reply }) => {
      opcodes.push(opcode);
      reply(xid, AUTH_FAILED);
    });
    await using client = TestClient.of(server.address, { digest: 'jobs:secret' });

    client.connect();
    await until(() => client.states.length > 0);

    expect(client.states).toEqual([
      { phase: 'auth-failed', reason: 'The server refused authentication by digest (error -115).' },
    ]);
    expect(opcodes).toEqual([100]);
    expect(await rejectionOf(client.getData('/'))).toMatchObject({ errorName: 'AUTH_FAILED', outcomeUnknown: false });
  });
});

describe('Greetings', () => {
  test('of a read-only server are not accepted', async () => {
    await using readOnly = await FakeServer.start(SILENT, { readOnly: true });
    await using other = await FakeServer.start(SILENT);
    await using client = await TestClient.connect(`${readOnly.address},${other.address}`);

    expect(client.state).toMatchObject({ server: other.address });
  });

  test('without a session do not count as the expiry of a session that never existed', async () => {
    await using refusing = await FakeServer.start(SILENT, { timeoutMs: 0 });
    await using other = await FakeServer.start(SILENT);
    await using client = await TestClient.connect(`${refusing.address},${other.address}`);

    expect(client.phases).toEqual(['connected']);
  });

  test('that never come are waited for no longer than the connection timeout', async () => {
    await using silent = await FakeServer.start(SILENT, { greeting: Buffer.alloc(0) });
    const client = TestClient.of(silent.address, { connectionTimeoutMs: 100 });

    client.connect();
    await until(() => silent.connections.length >= 3, 'three attempts');
    await client.close();

    expect(client.phases).toEqual(['closed']);
  });

  test('followed by an unasked message are not accepted', async () => {
    const greeting = Buffer.concat(
      [36, 16].map((length) => Buffer.concat([Buffer.from([0, 0, 0, length]), Buffer.alloc(length)])),
    );
    await using server = await FakeServer.start(SILENT, { greeting });
    const client = TestClient.of(server.address);

    client.connect();
    await until(() => server.connections.length >= 3);
    await client.close();

    expect(client.phases).toEqual(['closed']);
  });
});

describe('Garbage', () => {
  const garbage = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));

  test('in place of a greeting is followed by the next attempt', async () => {
    await expectAsyncProperty(
      fc.asyncProperty(garbage, async (greeting) => {
        await using server = await FakeServer.start(SILENT, { greeting });
        const client = TestClient.of(server.address, { digest: 'a:b', connectionTimeoutMs: 30 });
        client.connect();
        await until(() => server.connections.length >= 2);
        await client.close();

        expect(client.phases).toEqual(['closed']);
      }),
      { numRuns: 60 },
    );
  });

  test('in place of answers rejects pending requests', async () => {
    await expectAsyncProperty(
      fc.asyncProperty(garbage, fc.boolean(), async (bytes, framed) => {
        const length = Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]);
        const behaviour: Behaviour = (_, { socket }) => socket.end(framed ? Buffer.concat([length, bytes]) : bytes);
        await using server = await FakeServer.start(behaviour);
        await using client = await TestClient.connect(server.address);
        const outcomes = await Promise.allSettled([client.getData('/x'), client.getChildren('/'), client.multi([])]);
        expect(outcomes.map(({ status }) => status)).toContain('rejected');
      }),
      { numRuns: 60 },
    );
  });

  test('in place of the body of an answer is read or rejected, never left waiting', async () => {
    await expectAsyncProperty(
      fc.asyncProperty(garbage, async (bytes) => {
        await using server = await FakeServer.start(({ xid }, connection) => connection.reply(xid, 0, bytes));
        for (const ask of [
          (client: TestClient) => client.getData('/x'),
          (client: TestClient) => client.getChildren('/x'),
          (client: TestClient) => client.multi([{ type: 'check', path: '/x', version: 1 }]),
          (client: TestClient) => client.multiRead(['/x', '/y']),
        ]) {
          await using client = await TestClient.connect(server.address);
          await Promise.allSettled([ask(client)]);
        }
      }),
      { numRuns: 30 },
    );
  });
});
