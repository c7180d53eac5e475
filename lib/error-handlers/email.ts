import { keysBelow } from '../api/settings/property-keys.js';
import { writeEntry } from '../api/text/log-entry.js';
import { type JobLogger } from '../api/text/logger.js';
import { type Clock } from '../time/clock.js';
import { textOf } from './failure-text.js';
import { type Mail, type Mailer, type MailServer, loadMailer, sendMail } from './mailer.js';
import { type ChannelSettings, DEFAULT_DIGEST_MS, type NoticeChannel, redacted } from './notice-channel.js';
import { PropsReader, type Props, type Reading } from './props-reader.js';

/** Settings of the mails of a job. */
export interface EmailSettings extends ChannelSettings, MailServer {
  readonly subject: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** True logs the conversation with the server. */
  readonly debug: boolean;
}

/** The most milliseconds that one mail may take. */
const ATTEMPT_MS = 30_000;

/** The longest text in a mail, in bytes. */
const LONGEST_TEXT = 100_000;

/** The objects that the channel uses. */
export interface EmailDeps {
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Loads nodemailer. Default: the installed one. */
  readonly load?: () => Promise<Mailer>;
}

/**
 * `EMAIL`: mails by SMTP. Properties and log texts are Java's; the text is escaped in the HTML part of the mail, which
 * also has a plain part.
 */
export function email({ clock, logger, load = loadMailer }: EmailDeps): NoticeChannel<EmailSettings> {
  return {
    type: 'EMAIL',
    keys: keysBelow('email'),
    read: readSettings,
    doubts: (props) =>
      props['email.password'] === '' && props['email.username'] !== ''
        ? ['the property email.password is empty, and most servers refuse a login without password']
        : [],
    prepare: async () => void (await load()),
    send: async (notice, settings, signal) => {
      const mailer = await load();
      const mail = mailOf(textOf(notice, LONGEST_TEXT), settings);
      const debug = (line: string): void => {
        const message = `SMTP of ${settings.host}: ${redacted(line, settings.secrets)}`;
        writeEntry(logger, {
          level: 'debug',
          message,
          jobName: undefined,
          instance: '',
        });
      };
      const refused = await sendMail(mailer, mail, {
        ...settings,
        clock,
        signal,
        ...(settings.debug && { onLine: debug }),
      });
      return refused.length === 0 ? undefined : `The mail server has not taken the mail for ${refused.join(', ')}.`;
    },
    delivered: (job) => `An exception has occurred in Job '${job}', an email has been sent successfully.`,
    failed: (job) => `An exception has occurred in Job '${job}' but failed to send email because of`,
  };
}

function readSettings(props: Props): Reading<EmailSettings> {
  const reader = new PropsReader(props);
  // In the order of Java's checks.
  const host = reader.host('email.host');
  const port = reader.port('email.port');
  const username = reader.required('email.username');
  const password = reader.required('email.password');
  const from = reader.address('email.from');
  const to = reader.someAddresses('email.to');
  const startTls = reader.flag('email.startTls', false);
  return reader.result({
    ...{ host, port, username, password, from, to },
    cc: reader.addresses('email.cc'),
    bcc: reader.addresses('email.bcc'),
    subject: reader.optional('email.subject') ?? 'ElasticJob error message',
    startTls,
    // STARTTLS begins without TLS, so `email.useSsl` need not be switched off beside it.
    useSsl: reader.flag('email.useSsl', !startTls),
    trusted: (reader.optional('email.ssl.trust') ?? '').split(' ').filter((name) => name !== ''),
    debug: reader.flag('email.debug', false),
    digestMs: reader.positive('email.digestIntervalMilliseconds', DEFAULT_DIGEST_MS),
    attemptMs: ATTEMPT_MS,
    // SMTP sends the password alone, or together with the name.
    secrets: [password, `\0${username}\0${password}`],
  });
}

function mailOf(text: string, { subject, from, to, cc, bcc }: EmailSettings): Mail {
  return {
    ...{ subject, from, to, text },
    html: `<pre>${escaped(text)}</pre>`,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML, so that nothing in it is markup. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
