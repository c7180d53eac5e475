/** Jobs of the type HTTP, with real servers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { httpExecutor } from '../../../lib/executors/http/http-executor.js';
import { ManualClock } from '../../../lib/testing/index.js';
import { type ShardingContext } from '../../../lib/index.js';
import { until } from '../../support/until.js';
import { reportJob, type RunItem, runItem } from './stage.js';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A request as the server has received it. */
interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Starts a server on the loopback interface. Returns its address, without a slash at its end. */
async function listening(server: Server): Promise<string> {
  const ready = new Promise((resolve) => server.once('listening', () => resolve(undefined)));
  server.listen(0, '127.0.0.1');
  await ready;
  cleanUps.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers with `answer`, and what it has received. */
async function aServer(answer: (response: ServerResponse, request: Received) => void): Promise<{
  readonly address: string;
  readonly received: readonly Received[];
}> {
  const received: Received[] = [];
  const onRequest: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body });
      answer(response, received.at(-1)!);
    });
  };
  const server = createServer(onRequest);
  cleanUps.push(() => server.closeAllConnections());
  return { address: await listening(server), received };
}

/** A server that talks bytes. Calls `onData` with the first piece of each request. */
async function aTcpServer(onData: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    cleanUps.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('data', () => onData(socket));
  });
  return listening(server);
}

const clock = new ManualClock();
const run = (props: Readonly<Record<string, string>>, changes: Partial<ShardingContext> = {}): RunItem =>
  runItem(httpExecutor(clock), { 'http.method': 'GET', ...props }, changes);

const ok = (response: ServerResponse): void => void response.end('fine\nthank you\n');

describe('a request', () => {
  test('has the method, the path and the sharding context in a header', async () => {
    const { address, received } = await aServer(ok);

    const item = run({ 'http.uri': `${address}/sync?a=b` }, { jobParameter: '北京 "é"\n' });
    await item.ended;

    expect(received).toMatchObject([{ method: 'GET', path: '/sync?a=b', body: '' }]);
    const header = String(received[0]?.headers['shardingcontext']);
    expect(header).toMatch(
      /^\{"jobName":"report","taskId":"[^"]+","shardingTotalCount":2,"jobParameter":"\\u5317\\u4eac \\"\\u00e9\\"\\n","shardingItem":1,"shardingParameter":"Beijing"\}$/,
    );
    expect(JSON.parse(header)).toMatchObject({ jobParameter: '北京 "é"\n' });
    expect(item.log).toEqual(['debug item 1: HTTP job execute result: finethank you']);
  });

  test.each(['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])('may be a %s', async (method) => {
    const { address, received } = await aServer(ok);

    await run({ 'http.uri': address, 'http.method': method, 'http.data': 'a=北' }).ended;

    const hasBody = ['POST', 'PUT', 'DELETE'].includes(method);
    expect(received).toMatchObject([{ method, body: hasBody ? 'a=北' : '' }]);
    expect(received[0]?.headers['content-length']).toBe(hasBody ? '5' : undefined);
  });

  test.each([
    ['POST', undefined, 'application/x-www-form-urlencoded'],
    ['DELETE', undefined, 'application/x-www-form-urlencoded'],
    ['PUT', undefined, undefined],
    ['PUT', 'application/json', 'application/json'],
    ['POST', 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['GET', undefined, undefined],
  ])('%s with http.content.type %s has the content type %s', async (method, contentType, expected) => {
    const { address, received } = await aServer(ok);
    const props = { 'http.uri': address, 'http.method': method, 'http.data': '{}' };

    await run(contentType === undefined ? props : { ...props, 'http.content.type': contentType }).ended;

    expect(received[0]?.headers['content-type']).toBe(expected);
  });

  test('carries user and password of the address, which no message shows', async () => {
    const { address, received } = await aServer((response) => response.writeHead(500).end());

    const item = run({ 'http.uri': `${address.replace('//', '//user:secret@')}/sync?token=secret` });
    await item.ended;

    expect(received[0]?.headers.authorization).toBe(`Basic ${btoa('user:secret')}`);
    expect(item.log).toEqual([`warn item 1: HTTP job executed with response code 500 by GET ${address}/sync`]);
  });

  test('finds its address under http.url too, but http.uri comes first', async () => {
    const { address, received } = await aServer(ok);

    await run({ 'http.url': `${address}/alias` }).ended;
    await run({ 'http.url': `${address}/alias`, 'http.uri': `${address}/name` }).ended;

    expect(received.map(({ path }) => path)).toEqual(['/alias', '/name']);
  });
});

describe('an answer', () => {
  test.each([200, 204, 304, 399])('with status %d is a success', async (status) => {
    const { address } = await aServer((response) => response.writeHead(status).end());

    const item = run({ 'http.uri': address, 'http.failOnErrorStatus': 'true' });

    await item.ended;
    expect(item.log).toEqual(['debug item 1: HTTP job execute result: ']);
  });

  test.each([400, 404, 500])(
    'with status %d is a warning as in Java, or a failure if that is wanted',
    async (status) => {
      const { address } = await aServer((response) => response.writeHead(status).end('sorry\r\nfor \u001b[1mthat'));
      const said = `HTTP job executed with response code ${status} by GET ${address}/; response body: sorryfor \\u001b[1mthat`;

      const item = run({ 'http.uri': address });
      await item.ended;
      expect(item.log).toEqual([`warn item 1: ${said}`]);

      const strict = run({ 'http.uri': address, 'http.failOnErrorStatus': 'TRUE' });
      await expect(strict.ended).rejects.toMatchObject({ code: 'JOB_EXECUTION', message: said });
      expect(strict.log).toEqual([]);
    },
  );

  test('of many megabytes is read to its end, and its beginning is logged', async () => {
    let isEnded = false;
    const { address } = await aServer((response) => {
      for (let part = 0; part < 32; part++) response.write('x'.repeat(1_048_576));
      response.end('end', () => (isEnded = true));
    });

    const item = run({ 'http.uri': address });
    await item.ended;

    expect(isEnded).toBe(true);
    expect(item.log[0]).toHaveLength('debug item 1: HTTP job execute result: … (33546243 more bytes)'.length + 8_192);
    expect(item.log[0]).toMatch(/x… \(33546243 more bytes\)$/);
  });

  test('that is cut in the middle of a character shows no half of it', async () => {
    const { address } = await aServer((response) => response.end('x' + '北'.repeat(3_000)));

    const item = run({ 'http.uri': address });
    await item.ended;

    expect(item.log[0]).toMatch(/x北{2730}… \(809 more bytes\)$/);
  });
});

describe('a redirect', () => {
  const redirecting = (status: number) =>
    aServer((response, { path }) => {
      if (path === '/to') response.end('there');
      else response.writeHead(status, { Location: '/to' }).end('elsewhere');
    });

  test.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'a=b'],
    [308, 'POST', 'a=b'],
  ])('%d of a POST is followed with a %s', async (status, method, body) => {
    const { address, received } = await redirecting(status);

    const item = run({ 'http.uri': `${address}/from`, 'http.method': 'POST', 'http.data': 'a=b' });
    await item.ended;

    expect(received.slice(1)).toMatchObject([{ method, path: '/to', body }]);
    expect(received[1]?.headers['shardingcontext']).toBe(received[0]?.headers['shardingcontext']);
    expect(received[1]?.headers['content-type']).toBe(
      method === 'GET' ? undefined : 'application/x-www-form-urlencoded',
    );
    expect(item.log).toEqual(['debug item 1: HTTP job execute result: there']);
  });

  test.each(['PUT', 'DELETE', 'HEAD'])('of a %s keeps the method', async (method) => {
    const { address, received } = await redirecting(302);

    await run({ 'http.uri': `${address}/from`, 'http.method': method }).ended;

    expect(received.map((request) => request.method)).toEqual([method, method]);
  });

  test.each(['ftp://127.0.0.1/', 'mailto:a@b', 'http://'])(
    'to %s is not followed, and is a warning',
    async (location) => {
      const { address } = await aServer((response) => response.writeHead(302, { Location: location }).end('gone'));

      const item = run({ 'http.uri': address });
      await item.ended;

      expect(item.log).toEqual([
        expect.stringMatching(/^warn item 1: .* code 302 .*, a redirect that is not followed/),
      ]);
      await expect(run({ 'http.uri': address, 'http.failOnErrorStatus': 'true' }).ended).rejects.toThrow('302');
    },
  );

  test('to https is followed', async () => {
    const { address } = await aServer((response, { headers }) =>
      response.writeHead(302, { Location: `https://${String(headers.host)}/` }).end(),
    );

    // The server does not speak TLS, so that is as far as it gets.
    await expect(run({ 'http.uri': address }).ended).rejects.toThrow(/SSL|EPROTO|wrong version/i);
  });

  const towards = (address: string, status: number) =>
    aServer((response) => response.writeHead(status, { Location: `${address}/to` }).end('elsewhere'));

  test.each([
    ['GET', 302],
    ['POST', 302],
    ['DELETE', 307],
  ])('of a %s to another host (%d) tells that host nothing of the job', async (method, status) => {
    const other = await aServer((response) => response.end('there'));
    const { address } = await towards(other.address, status);

    const data = method === 'POST' ? { 'http.data': 'a=b' } : {};
    await run({ 'http.uri': address, 'http.method': method, ...data }).ended;

    expect(other.received).toMatchObject([{ method: method === 'POST' ? 'GET' : method, body: '' }]);
    expect(other.received[0]?.headers).not.toHaveProperty('shardingcontext');
  });

  test.each([
    ['PUT', 302],
    ['POST', 307],
  ])('of a %s with a body to another host (%d) is not followed, and is a warning', async (method, status) => {
    const other = await aServer((response) => response.end('there'));
    const { address } = await towards(other.address, status);

    const item = run({ 'http.uri': address, 'http.method': method, 'http.data': 'a=b' });
    await item.ended;

    expect(other.received).toEqual([]);
    expect(item.log).toEqual([
      expect.stringMatching(/a redirect that is not followed: .*http\.redirect\.keepsRequest/),
    ]);
  });

  test('to another host carries all of it if the job says so', async () => {
    const other = await aServer((response) => response.end('there'));
    const { address } = await towards(other.address, 307);
    const props = { 'http.uri': address, 'http.method': 'PUT', 'http.data': 'a=b' };

    await run({ ...props, 'http.redirect.keepsRequest': 'true' }).ended;

    expect(other.received).toMatchObject([{ method: 'PUT', body: 'a=b' }]);
    expect(other.received[0]?.headers).toHaveProperty('shardingcontext');
  });

  test('to itself ends after 20 times', async () => {
    const { address, received } = await aServer((response) => response.writeHead(302, { Location: '/' }).end());

    await expect(run({ 'http.uri': address }).ended).rejects.toThrow('the server has redirected more than 20 times');
    expect(received).toHaveLength(21);
  });
});

describe('an item fails', () => {
  test('if there is no server', async () => {
    const server = createTcpServer();
    const address = await listening(server);
    server.close();
    await once(server, 'close');

    await expect(run({ 'http.uri': `${address}/x?token=secret` }).ended).rejects.toMatchObject({
      code: 'JOB_EXECUTION',
      message: expect.stringMatching(new RegExp(`^The request GET ${address}/x has failed: .*ECONNREFUSED`)),
      cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
    });
  });

  test('if there is no connection in time', async () => {
    // Nothing answers TLS here, and the connection stands only after that.
    const address = await aTcpServer(() => undefined);
    const item = run({ 'http.uri': address.replace('http', 'https'), 'http.connect.timeout.milliseconds': '700' });
    await until(() => clock.nextTimerInMs === 700, 'the timer');

    await clock.advance(699);
    await clock.advance(1);

    await expect(item.ended).rejects.toThrow('no connection within 700 ms (http.connect.timeout.milliseconds)');
    expect(clock.timers).toBe(0);
  });

  test.each([
    ['before the answer', () => undefined],
    ['in the middle of the head', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nX: ')],
    [
      'in the middle of the body',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
    ],
  ])('if the server is silent for too long %s', async (_, onData) => {
    let isReached = false;
    const address = await aTcpServer((socket) => {
      onData(socket);
      isReached = true;
    });
    const item = run({ 'http.uri': address });
    await until(() => isReached && clock.nextTimerInMs === 5_000, 'the request to arrive');

    await clock.advance(5_000);

    await expect(item.ended).rejects.toThrow('no data within 5000 ms (http.read.timeout.milliseconds)');
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    ['resets the connection', (socket) => void socket.resetAndDestroy(), /ECONNRESET|socket hang up/],
    ['closes it without an answer', (socket) => void socket.end(), /socket hang up/],
    [
      'closes it in the middle',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      /aborted/,
    ],
    [
      'resets it in the middle',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => socket.resetAndDestroy()),
      /aborted|ECONNRESET/,
    ],
    ['speaks another language', (socket) => void socket.end('220 mail.example.com ESMTP\r\n'), /Parse Error/],
    [
      'has a broken chunk',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
      /Parse Error/,
    ],
    [
      'has endless headers',
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
      /Header overflow/i,
    ],
    [
      'changes the protocol',
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      /changed the protocol/,
    ],
  ])('if the server %s', async (_, onData, said) => {
    const address = await aTcpServer(onData);

    await expect(run({ 'http.uri': address }).ended).rejects.toMatchObject({
      code: 'JOB_EXECUTION',
      message: expect.stringMatching(said),
    });
    expect(clock.timers).toBe(0);
  });
});

test('each piece of an answer begins the read timeout again; 0 is no limit', async () => {
  let response: ServerResponse | undefined;
  const { address } = await aServer((each) => void (response = each));
  const item = run({ 'http.uri': address, 'http.read.timeout.milliseconds': '1000' });
  await until(() => response !== undefined && clock.nextTimerInMs === 1_000, 'the request to arrive');
  const pieces = [() => response?.flushHeaders(), ...[...'abc'].map((piece) => () => response?.write(piece))];
  for (const send of pieces) {
    await clock.advance(900);
    expect(clock.nextTimerInMs).toBe(100);
    send();
    await until(() => clock.nextTimerInMs === 1_000, 'the piece to arrive');
  }
  response?.end();
  await item.ended;
  expect(item.log).toEqual(['debug item 1: HTTP job execute result: abc']);

  response = undefined;
  const limits = { 'http.read.timeout.milliseconds': '0', 'http.connect.timeout.milliseconds': '0' };
  const patient = run({ 'http.uri': address, ...limits });
  await until(() => response !== undefined, 'the request to arrive');
  expect(clock.timers).toBe(0);
  (response as ServerResponse | undefined)?.end();
  await patient.ended;
});

describe('an item that is aborted', () => {
  test.each([
    ['before the answer', () => undefined],
    ['in the middle of the answer', (response: ServerResponse) => void response.write('a')],
  ])('closes the connection %s', async (_, answer) => {
    let connection: Socket | undefined;
    const { address } = await aServer((response) => {
      connection = response.socket ?? undefined;
      answer(response);
    });
    const item = run({ 'http.uri': address });
    await until(() => connection !== undefined, 'the request to arrive');

    item.abort();

    await expect(item.ended).rejects.toBe(item.reason);
    await until(() => connection?.destroyed === true, 'the connection to be closed');
    expect(clock.timers).toBe(0);
  });

  test('sends nothing if that was before', async () => {
    const { address, received } = await aServer(ok);
    const stop = new AbortController();
    stop.abort(new Error('too late'));

    await expect(run({ 'http.uri': address }, { signal: stop.signal }).ended).rejects.toBe(stop.signal.reason);
    expect(received).toEqual([]);
  });
});

describe('properties', () => {
  const problemsWith = (props: Readonly<Record<string, string>>) =>
    httpExecutor(clock).validate?.(reportJob({ 'http.uri': 'https://example.com', 'http.method': 'GET', ...props }));

  test.each([
    ['http.uri', '', 'Cannot find HTTP URL, job is not executed: must be an address such as'],
    ['http.uri', 'example.com/sync', 'must be an absolute address that begins with http:// or https://'],
    ['http.uri', 'ftp://user:secret@example.com', 'this one is not shown, as it may hold a password'],
    ['http.uri', 'http://', 'must have a host after http:// or https://, and has none'],
    ['http.uri', 'https://jobs:secret@/sync', 'must have a host after http:// or https://, and has none'],
    [
      'http.uri',
      'http://jobs:secret@example.com:99999/sync',
      'must have a port from 1 to 65535, and has the port 99999',
    ],
    ['http.uri', 'http://exa mple.com/sync', 'has a host or port that cannot be read'],
    ['http.uri', 'http://example.com:http/', 'has a host or port that cannot be read'],
    ['http.method', '', 'Cannot find HTTP method, job is not executed: must be one of GET, POST, HEAD, OPTIONS, PUT'],
    ['http.method', 'post', 'in capital letters, got "post"'],
    ['http.method', 'PATCH', 'got "PATCH"'],
    ['http.content.type', 'text/plain\nX: y', 'must be a media type such as application/json, got "text/plain\\nX: y"'],
    ['http.connect.timeout.milliseconds', 'soon', 'must be a number of milliseconds, 0 for no limit, got "soon"'],
    ['http.connect.timeout.milliseconds', '-1', 'got "-1"'],
    ['http.read.timeout.milliseconds', '1.5', 'got "1.5"'],
    ['http.read.timeout.milliseconds', '2147483648', 'got "2147483648"'],
    ['http.failOnErrorStatus', 'yes', 'must be true or false, got "yes"'],
  ])('%s=%j is refused', (property, value, said) => {
    expect(problemsWith({ [property]: value })).toEqual([{ property, problem: expect.stringContaining(said) }]);
  });

  test('that are right, or empty where there is a default, are taken', () => {
    expect(problemsWith({})).toEqual([]);
    expect(
      problemsWith({
        'http.data': 'a',
        'http.content.type': '',
        'http.connect.timeout.milliseconds': '',
        'http.read.timeout.milliseconds': '2147483647',
        'http.failOnErrorStatus': 'False',
      }),
    ).toEqual([]);
  });

  test('are all named at once, and fail an item if they became wrong while the job runs', async () => {
    const executor = httpExecutor(clock);
    const configuration = reportJob({ 'http.url': 'x', 'http.method': 'FETCH' });
    expect(executor.validate?.(configuration).map(({ property }) => property)).toEqual(['http.url', 'http.method']);

    await expect(runItem(executor, { 'http.url': 'x', 'http.method': 'FETCH' }).ended).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(
        /elasticjob\.jobs\.report\.props\['http\.url'\][^]*props\['http\.method'\]: must be/,
      ),
    });
  });
});
