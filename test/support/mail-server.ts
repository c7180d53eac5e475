import { type AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail that a server has received. */
export interface ReceivedMail {
  readonly username: unknown;
  readonly isSecure: boolean;
  readonly from: string;
  readonly to: readonly string[];
  /** As it came: headers, an empty line, the body. */
  readonly raw: string;
}

/** Options of a mail server. */
export interface MailServerOptions {
  /** TLS from the first byte on, with a self-signed certificate. */
  readonly secure: boolean;
  readonly password?: string;
  /** True if it offers TLS after a connection without, by STARTTLS. Default: yes. */
  readonly offersStartTls?: boolean;
}

/** An SMTP server on loopback that demands a user name and a password. */
export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** Recipients that it refuses. */
  readonly unknown = new Set<string>();
  /** The answer to a mail. Default: the server accepts it. */
  verdict: () => Error | undefined = () => undefined;
  readonly #server: SMTPServer;

  private constructor({ secure, password = 's3cret-password', offersStartTls = true }: MailServerOptions) {
    this.#server = new SMTPServer({
      secure,
      authOptional: false,
      ...(!offersStartTls && { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }),
      // Without this it warns that its certificate is for tests only.
      logger: false,
      allowInsecureAuth: true,
      onAuth: (auth, _session, callback) => {
        if (auth.password === password) callback(null, { user: auth.username ?? '' });
        else callback(failure(535, 'Invalid username or password'));
      },
      onRcptTo: ({ address }, _session, callback) =>
        callback(this.unknown.has(address) ? failure(550, 'No such user') : null),
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.once('end', () => {
          const verdict = this.verdict();
          if (verdict !== undefined) return callback(verdict);
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            username: session.user,
            isSecure: session.secure,
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString('utf8'),
          });
          return callback();
        });
      },
    });
    // A client that does not trust the certificate ends the connection.
    this.#server.on('error', () => undefined);
  }

  static async start(options: MailServerOptions): Promise<MailServer> {
    const mails = new MailServer(options);
    await new Promise<void>((resolve) => mails.#server.listen(0, '127.0.0.1', () => resolve()));
    return mails;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** An error that the server answers with this code. */
export function failure(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
