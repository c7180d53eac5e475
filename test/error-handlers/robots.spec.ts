/** WECHAT and DINGTALK against HTTP servers that behave as the robots of chat groups do. */
import { describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import { type JobErrorHandler } from '../../lib/api/extensions/error-handler.js';
import { notifyingErrorHandlers } from '../../lib/error-handlers/notifying-error-handlers.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { aFailure, CompleteLog } from '../support/failures.js';
import { freePort } from '../support/free-port.js';
import { RobotServer } from '../support/robot-server.js';
import { until } from '../support/until.js';

const NOW = Date.parse('2026-01-02T12:00:00Z');

/** The handler of one type on a clock that the test moves. */
function handling(type: string): { handler: JobErrorHandler; clock: ManualClock; log: CompleteLog } {
  const [clock, log] = [new ManualClock(NOW), new CompleteLog()];
  const handler = notifyingErrorHandlers({ clock, logger: log }).find((each) => each.type === type);
  if (handler === undefined) throw new Error(`There is no ${type}.`);
  return { handler, clock, log };
}

const ROBOTS = [
  ['WECHAT', 'wechat', { code: 93000, busy: 45009 }],
  ['DINGTALK', 'dingtalk', { code: 300001, busy: 130101 }],
] as const;

describe.each(ROBOTS)('%s', (type, prefix, { code, busy }) => {
  const KEY = 's3cret-key/+';
  const propsOf = (robot: RobotServer): Record<string, string> => ({
    [`${prefix}.webhook`]: `${robot.origin}/send?key=${encodeURIComponent(KEY)}`,
  });
  const delivered = type === 'WECHAT' ? 'an wechat message has been sent' : 'an dingtalk message been sent';
  const sent = `An exception has occurred in Job 'bill', ${delivered} successful.`;
  const failed = `An exception has occurred in Job 'bill' but failed to send ${prefix} because of: `;

  /** Lets a robot answer one failure, and returns what is logged then; the job ends if it is not delivered at once. */
  async function logOf(answer: RobotServer['answer']): Promise<CompleteLog> {
    await using robot = await RobotServer.start();
    robot.answer = answer;
    const { handler, log } = handling(type);
    void handler.handleException(aFailure(propsOf(robot)));
    await handler.release?.('bill');
    expect(log.text).not.toContain('s3cret');
    return log;
  }

  test('posts Java’s payload to the webhook, and says so in Java’s words', async () => {
    await using robot = await RobotServer.start();
    const { handler, log } = handling(type);

    void handler.handleException(aFailure(propsOf(robot)));
    await until(() => log.lines.length > 0);

    const [{ method, target, headers, body } = expect.anything() as never] = robot.requests;
    expect(method).toBe('POST');
    expect(target.pathname).toBe('/send');
    expect(target.searchParams.get('key')).toBe(KEY);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toMatch(
      /^\{"msgtype":"text","text":\{"content":"Job 'bill' exception occur in job processing, caused by Error: no stock\\n/,
    );
    expect(robot.texts[0]).toMatch(/\nItem: 1 \(Beijing\)\nInstance: 10\.0\.0\.1@-@7\n/);
    expect(log.lines).toEqual([`log ${sent}`]);
  });

  test('keeps control characters, quotes and markup as text', async () => {
    await using robot = await RobotServer.start();
    const { handler, log } = handling(type);
    const message = '"}} <b>\u0000\u2028 *bold* 订单';

    void handler.handleException(aFailure(propsOf(robot), { cause: message }));
    await until(() => log.lines.length > 0);

    expect(Object.keys(JSON.parse(robot.requests[0]?.body ?? '') as object)).toEqual(['msgtype', 'text']);
    expect(robot.texts[0]).toContain('<b>');
    expect(robot.texts[0]).toContain('*bold* 订单');
  });

  test.each([
    ['a wrong token', { errcode: code, errmsg: 'invalid key s3cret-key/+' }, 'invalid key ***'],
    ['an error without text', { errcode: String(code) }, `errcode ${code}`],
  ])('says what the robot answers to %s, without secrets, and does not try again', async (_, answer, reason) => {
    let requests = 0;
    const log = await logOf((response) => {
      requests++;
      response.end(JSON.stringify(answer));
    });

    expect(log.of('error')).toEqual([expect.stringContaining(`${failed}${reason}\nIt should have said:\nJob 'bill'`)]);
    expect(requests).toBe(1);
  });

  test.each([404, 301, 401])('says that the server answers with status %d, and does not try again', async (status) => {
    let requests = 0;
    const log = await logOf((response) => {
      requests++;
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end();
    });

    expect(log.of('error')).toEqual([expect.stringContaining(`${failed}unexpected http response status: ${status}\n`)]);
    expect(requests).toBe(1);
  });

  test.each([
    ['is busy', (body: string) => ({ status: 200, body }), ''],
    ['has too many requests', () => ({ status: 429, body: '' }), ''],
    ['fails', () => ({ status: 503, body: '' }), ''],
    ['answers with something else than JSON', () => ({ status: 200, body: '<html>' }), ''],
    ['answers without errcode', () => ({ status: 200, body: '{}' }), ''],
  ])('is tried again if the robot %s', async (_, answerOf) => {
    await using robot = await RobotServer.start();
    const { status, body } = answerOf(JSON.stringify({ errcode: busy, errmsg: 'too many' }));
    robot.answer = (response) => void response.writeHead(status).end(body);
    const { handler, clock, log } = handling(type);
    void handler.handleException(aFailure(propsOf(robot)));
    await until(() => log.of('debug').length === 1);

    robot.answer = (response) => void response.end('{"errcode":0}');
    await clock.advance(1_000);
    await until(() => log.of('log').length === 1);

    expect(robot.requests).toHaveLength(2);
    expect(log.of('error')).toEqual([]);
  });

  test('says that the host is unknown', async () => {
    const { handler, log } = handling(type);

    void handler.handleException(aFailure({ [`${prefix}.webhook`]: 'http://no-such-host.invalid/send?key=s3cret' }));
    await handler.release?.('bill');

    expect(log.of('error')).toEqual([expect.stringContaining(`${failed}Error: getaddrinfo`)]);
    expect(log.text).not.toContain('s3cret');
  });

  test('says that the connection is refused', async () => {
    const { handler, log } = handling(type);

    void handler.handleException(aFailure({ [`${prefix}.webhook`]: `http://127.0.0.1:${await freePort()}/` }));
    await handler.release?.('bill');

    expect(log.of('error')).toEqual([expect.stringMatching(/ECONNREFUSED 127\.0\.0\.1/)]);
  });

  test('waits for an answer as long as readTimeoutMilliseconds says', async () => {
    await using robot = await RobotServer.start();
    robot.answer = () => undefined;
    const { handler, clock, log } = handling(type);
    void handler.handleException(aFailure({ ...propsOf(robot), [`${prefix}.readTimeoutMilliseconds`]: '700' }));
    await until(() => robot.requests.length === 1);

    await clock.advance(699);
    expect(log.lines).toEqual([]);
    await clock.advance(1);
    await until(() => log.lines.length === 1);

    expect(log.of('debug')).toEqual([expect.stringContaining('no answer within 700 ms')]);
    robot.answer = (response) => void response.end('{"errcode":0}');
    await handler.release?.('bill');
  });

  test('waits as long again for each piece of an answer', async () => {
    await using robot = await RobotServer.start();
    let answer = (_piece: string): void => undefined;
    robot.answer = (response) => {
      answer = (piece) => void response.write(piece);
    };
    const { handler, clock, log } = handling(type);
    void handler.handleException(aFailure({ ...propsOf(robot), [`${prefix}.readTimeoutMilliseconds`]: '700' }));
    await until(() => robot.requests.length === 1);
    await clock.advance(500);

    answer('{"errcode"');
    await until(() => clock.nextTimerInMs === 700, 'the piece to arrive');
    await clock.advance(699);

    expect(log.lines).toEqual([]);
    robot.answer = (response) => void response.end('{"errcode":0}');
    await clock.advance(1);
    await until(() => log.of('debug').length === 1);
    await handler.release?.('bill');
  });

  test('reads no answer that is longer than 64 KiB', async () => {
    const log = await logOf((response) => void response.end(' '.repeat(70_000)));

    expect(log.of('error')).toEqual([expect.stringContaining('the answer is longer than 65536 bytes')]);
  });

  test('waits for a connection as long as connectTimeoutMilliseconds says', async () => {
    // TLS is part of connecting: this server takes the connection and says nothing.
    const server = createServer().listen(0, '127.0.0.1');
    await until(() => server.listening);
    const sockets: { destroy: () => void }[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const { port } = server.address() as { port: number };
    const props = {
      [`${prefix}.webhook`]: `https://127.0.0.1:${port}/send`,
      [`${prefix}.connectTimeoutMilliseconds`]: '300',
    };
    const { handler, clock, log } = handling(type);
    void handler.handleException(aFailure(props));
    await until(() => sockets.length === 1);

    await clock.advance(300);
    await until(() => log.lines.length === 1);

    expect(log.of('debug')).toEqual([expect.stringContaining('no connection within 300 ms')]);
    server.close();
    for (const socket of sockets) socket.destroy();
    await handler.release?.('bill');
  });

  test('goes to another webhook as soon as the props say so', async () => {
    await using one = await RobotServer.start();
    await using other = await RobotServer.start();
    const { handler, clock } = handling(type);

    void handler.handleException(aFailure(propsOf(one)));
    await until(() => one.requests.length === 1);
    void handler.handleException(aFailure(propsOf(other)));
    await clock.advance(60_000);
    await until(() => other.requests.length === 1);

    expect(one.requests).toHaveLength(1);
    await handler.release?.('bill');
  });
});

test('WECHAT cuts a text to the 2048 bytes that the robot takes, and mentions no member', async () => {
  await using robot = await RobotServer.start();
  const { handler, log } = handling('WECHAT');

  const cause = new Error(`<@all> ${'订'.repeat(2_000)}`);
  void handler.handleException(aFailure({ 'wechat.webhook': robot.origin }, { cause }));
  await until(() => log.lines.length > 0);

  const [text = ''] = robot.texts;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(text)).toBeGreaterThan(2_040);
  expect(text).toMatch(/caused by Error: < @all> 订+… \(cut, \d+ bytes in all\)\nItem: 1/);
});

describe('DINGTALK', () => {
  const SECRET = 'SEC000+/=';

  test('signs the webhook with the secret, by the time of each attempt', async () => {
    await using robot = await RobotServer.start();
    const { handler, clock, log } = handling('DINGTALK');
    robot.answer = (response, { target }) => {
      const timestamp = target.searchParams.get('timestamp') ?? '';
      const expected = createHmac('sha256', SECRET).update(`${timestamp}\n${SECRET}`).digest('base64');
      const isSigned = target.searchParams.get('sign') === expected && Number(timestamp) === clock.now();
      const isFirst = robot.requests.length === 1;
      response.end(JSON.stringify({ errcode: isSigned ? (isFirst ? -1 : 0) : 310000, errmsg: 'sign not match' }));
    };
    const webhook = `${robot.origin}/robot/send?access_token=t0ken`;

    void handler.handleException(aFailure({ 'dingtalk.webhook': webhook, 'dingtalk.secret': SECRET }));
    await until(() => log.lines.length === 1);
    await clock.advance(1_000);
    await until(() => log.of('log').length === 1);

    expect(robot.requests.map(({ target }) => target.searchParams.get('access_token'))).toEqual(['t0ken', 't0ken']);
    expect(robot.requests.map(({ target }) => target.searchParams.get('timestamp'))).toEqual([
      String(NOW),
      String(NOW + 1_000),
    ]);
    expect(robot.requests[0]?.target.search).toMatch(/^\?access_token=t0ken&timestamp=\d+&sign=[\w%]+%3D$/);
  });

  test('begins the text with the keyword', async () => {
    await using robot = await RobotServer.start();
    const { handler, log } = handling('DINGTALK');

    void handler.handleException(aFailure({ 'dingtalk.webhook': robot.origin, 'dingtalk.keyword': '告警' }));
    await until(() => log.lines.length > 0);

    expect(robot.texts[0]).toMatch(/^告警Job 'bill' exception occur/);
  });
});
