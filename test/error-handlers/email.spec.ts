/** EMAIL against an SMTP server. */
import { describe, expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import { JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type JobErrorHandler } from '../../lib/api/extensions/error-handler.js';
import { email } from '../../lib/error-handlers/email.js';
import { NotifyingErrorHandler } from '../../lib/error-handlers/notifying-error-handler.js';
import { notifyingErrorHandlers } from '../../lib/error-handlers/notifying-error-handlers.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { aFailure, CompleteLog } from '../support/failures.js';
import { failure, MailServer } from '../support/mail-server.js';
import { until } from '../support/until.js';

const NOW = Date.parse('2026-01-02T12:00:00Z');
const PASSWORD = 's3cret-password';
const SENT = "An exception has occurred in Job 'bill', an email has been sent successfully.";
const FAILED = "An exception has occurred in Job 'bill' but failed to send email because of: ";

function handling(): { handler: JobErrorHandler; clock: ManualClock; log: CompleteLog } {
  const [clock, log] = [new ManualClock(NOW), new CompleteLog()];
  const handler = notifyingErrorHandlers({ clock, logger: log }).find(({ type }) => type === 'EMAIL');
  if (handler === undefined) throw new Error('There is no EMAIL.');
  return { handler, clock, log };
}

const propsOf = (port: number, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  'email.host': '127.0.0.1',
  'email.port': String(port),
  'email.username': 'jobs',
  'email.password': PASSWORD,
  'email.ssl.trust': '*',
  'email.from': 'Jobs <jobs@example.com>',
  'email.to': 'one@example.com, two@example.com',
  ...more,
});

/** The text of the mail's HTML part, and its headers. */
function read(raw: string): { readonly headers: string; readonly html: string } {
  const headers = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  const part = raw.slice(raw.indexOf('Content-Type: text/html'));
  const body = part.slice(part.indexOf('\r\n\r\n') + 4, part.indexOf('\r\n----'));
  const isBase64 = /^Content-Transfer-Encoding: base64/m.test(part.slice(0, part.indexOf('\r\n\r\n')));
  const bytes = isBase64
    ? Buffer.from(body, 'base64')
    : Buffer.from(
        body
          .replace(/=\r\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
        'latin1',
      );
  return { headers, html: bytes.toString('utf8').replaceAll('\r\n', '\n') };
}

describe.each([
  ['with TLS from the first byte on', { secure: true, isEncrypted: true }, {}],
  ['without TLS', { secure: false, isEncrypted: false }, { 'email.useSsl': 'false' }],
  ['with STARTTLS', { secure: false, isEncrypted: true }, { 'email.startTls': 'true' }],
])('a mail %s', (_, options, more) => {
  test('has Java’s text, in HTML that shows it as it is, and goes to all recipients', async () => {
    await using server = await MailServer.start(options);
    const { handler, log } = handling();
    const cause = new Error('</pre><script>alert("1")</script> & 订单');

    void handler.handleException(
      aFailure(propsOf(server.port, { ...more, 'email.cc': 'cc@example.com', 'email.bcc': 'bcc@example.com' }), {
        cause,
      }),
    );
    await until(() => log.lines.length > 0);

    expect(log.lines).toEqual([`log ${SENT}`]);
    const [mail] = server.mails;
    expect(mail).toMatchObject({
      username: 'jobs',
      isSecure: options.isEncrypted,
      from: 'jobs@example.com',
      to: ['one@example.com', 'two@example.com', 'cc@example.com', 'bcc@example.com'],
    });
    const { headers, html } = read(mail?.raw ?? '');
    expect(headers).toMatch(/^Subject: ElasticJob error message$/m);
    expect(headers).toMatch(/^From: Jobs <jobs@example\.com>$/m);
    expect(headers).not.toContain('bcc@example.com');
    expect(html).toMatch(
      /^<pre>Job &#39;bill&#39; exception occur in job processing, caused by Error: &lt;\/pre&gt;&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt; &amp; 订单\n/,
    );
    expect(html).toContain('\nItem: 1 (Beijing)\nInstance: 10.0.0.1@-@7\n');
    expect(html.trimEnd()).toMatch(/<\/pre>$/);
  });
});

test('with STARTTLS, a server that does not offer it receives neither password nor mail', async () => {
  await using server = await MailServer.start({ secure: false, offersStartTls: false });
  const { handler, log } = handling();

  void handler.handleException(aFailure(propsOf(server.port, { 'email.startTls': 'true' })));
  await until(() => log.lines.length > 0);

  expect(log.text).toMatch(/STARTTLS/);
  expect(server.mails).toEqual([]);
});

test('a subject with line breaks makes no headers', async () => {
  await using server = await MailServer.start({ secure: true });
  const { handler, log } = handling();

  void handler.handleException(aFailure(propsOf(server.port, { 'email.subject': 'Failed\r\nBcc: x@example.com' })));
  await until(() => log.lines.length > 0);

  const [mail] = server.mails;
  expect(mail?.to).toEqual(['one@example.com', 'two@example.com']);
  expect(read(mail?.raw ?? '').headers).toMatch(/^Subject: Failed\s*Bcc: x@example\.com$/m);
});

describe('a certificate that nobody has signed', () => {
  test.each(['smtp.example.com 127.0.0.1', '*'])('is taken if email.ssl.trust has the host (%s)', async (trust) => {
    await using server = await MailServer.start({ secure: true });
    const { handler, log } = handling();

    void handler.handleException(aFailure(propsOf(server.port, { 'email.ssl.trust': trust })));
    await until(() => log.lines.length > 0);

    expect(log.lines).toEqual([`log ${SENT}`]);
  });

  test.each(['', 'smtp.example.com'])('is refused otherwise (%j)', async (trust) => {
    await using server = await MailServer.start({ secure: true });
    const { handler, log } = handling();

    void handler.handleException(aFailure(propsOf(server.port, { 'email.ssl.trust': trust })));
    await handler.release?.('bill');

    expect(server.mails).toEqual([]);
    expect(log.of('error')).toEqual([expect.stringMatching(/self[- ]signed certificate|certificate has expired/i)]);
  });
});

describe('what keeps a mail from being delivered is logged, without the password:', () => {
  test('a wrong password, at once', async () => {
    await using server = await MailServer.start({ secure: true, password: 'another' });
    const { handler, log } = handling();

    void handler.handleException(aFailure(propsOf(server.port)));
    await until(() => log.of('error').length === 1);

    expect(log.of('error')[0]).toContain(FAILED);
    expect(log.of('error')[0]).toContain('Invalid username or password');
    expect(log.of('error')[0]).toContain("It should have said:\nJob 'bill'");
    expect(log.text).not.toContain(PASSWORD);
    await handler.release?.('bill');
  });

  test('refused recipients, although the others receive the mail', async () => {
    await using server = await MailServer.start({ secure: true });
    server.unknown.add('two@example.com');
    const { handler, log } = handling();

    void handler.handleException(aFailure(propsOf(server.port)));
    await until(() => log.lines.length > 1);

    expect(server.mails.map(({ to }) => to)).toEqual([['one@example.com']]);
    expect(log.lines).toEqual([`log ${SENT}`, 'warn The mail server has not taken the mail for two@example.com.']);
  });

  test('no recipient at all, at once', async () => {
    await using server = await MailServer.start({ secure: true });
    server.unknown.add('one@example.com').add('two@example.com');
    const { handler, log } = handling();

    void handler.handleException(aFailure(propsOf(server.port)));
    await until(() => log.of('error').length === 1);

    expect(log.of('error')[0]).toContain('550 No such user');
    await handler.release?.('bill');
  });

  test('a server that is busy, after further attempts', async () => {
    await using server = await MailServer.start({ secure: true });
    server.verdict = () => failure(451, 'Try again later');
    const { handler, clock, log } = handling();
    void handler.handleException(aFailure(propsOf(server.port)));
    await until(() => log.of('debug').length === 1);
    expect(log.of('debug')[0]).toContain('451 Try again later');

    server.verdict = () => undefined;
    await clock.advance(1_000);
    await until(() => log.of('log').length === 1);

    expect(server.mails).toHaveLength(1);
    expect(log.of('error')).toEqual([]);
  });

  test('a server that says nothing, as soon as the job has waited for four seconds at its end', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    let connections = 0;
    server.on('connection', (socket) => {
      connections++;
      socket
        .resume()
        .on('error', () => undefined)
        .once('close', () => connections--);
    });
    await until(() => server.listening);
    const { handler, clock, log } = handling();
    void handler.handleException(aFailure(propsOf((server.address() as { port: number }).port)));
    await until(() => connections === 1);

    const released = Promise.resolve(handler.release?.('bill'));
    await clock.advance(4_000);
    await released;

    expect(log.of('error')).toEqual([expect.stringContaining(FAILED)]);
    await until(() => connections === 0, 'the connection to be closed');
    server.close();
  });
});

test('email.debug logs the conversation, without the password', async () => {
  await using server = await MailServer.start({ secure: true });
  const { handler, log } = handling();

  void handler.handleException(aFailure(propsOf(server.port, { 'email.debug': 'true' })));
  await until(() => log.of('log').length === 1);

  expect(log.of('debug').filter((line) => line.startsWith('SMTP of 127.0.0.1: ')).length).toBeGreaterThan(5);
  expect(log.text).toContain('RCPT TO:<one@example.com>');
  for (const form of [PASSWORD, Buffer.from(PASSWORD), Buffer.from(`\0jobs\0${PASSWORD}`)])
    expect(log.text).not.toContain(typeof form === 'string' ? form : form.toString('base64'));
});

test('without nodemailer, the start of the job says what to install', async () => {
  const logger = new CompleteLog();
  const missing = (): never => {
    throw new Error('it needs the package nodemailer: npm install nodemailer');
  };
  const clock = new ManualClock(NOW);
  const handler = new NotifyingErrorHandler(email({ clock, logger, load: missing }), { clock, logger });

  await expect(handler.prepare()).rejects.toThrow('npm install nodemailer');
  await expect(
    Promise.resolve(handling().handler.prepare?.(JobConfiguration.newBuilder('bill', 1).build())),
  ).resolves.toBe(undefined);
});
