/** Sends a mail by nodemailer, which is loaded only when a job needs it. */
import { format } from 'node:util';
import { connect, type Socket } from 'node:net';
import { describeCause } from '../api/text/describe-cause.js';
import { type Clock } from '../time/clock.js';
import { DeliveryError } from './delivery-error.js';

/** The most milliseconds that connecting may take. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A mail. */
export interface Mail {
  readonly subject: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly text: string;
  readonly html: string;
}

/** The parts of nodemailer that are used. */
export interface Mailer {
  createTransport(options: object): { sendMail(mail: object): Promise<{ readonly rejected?: readonly unknown[] }> };
}

/** An SMTP server. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** True uses TLS from the first byte on. */
  readonly useSsl: boolean;
  /** True uses TLS from the command STARTTLS on; a server that does not offer it gets neither password nor mail. */
  readonly startTls: boolean;
  /** Hosts whose certificates are not checked; `*` means all hosts. */
  readonly trusted: readonly string[];
}

/** The server that takes a mail, and the control of the conversation. */
export interface MailRoute extends MailServer {
  readonly clock: Clock;
  /** Ends the conversation when it aborts. */
  readonly signal: AbortSignal;
  /** Called with each line of the conversation; may contain secrets. Default: the conversation is not logged. */
  readonly onLine?: (line: string) => void;
}

/** Loads nodemailer. @throws if it is not installed, saying what to install */
export async function loadMailer(): Promise<Mailer> {
  // In a variable, so that neither compilers nor bundlers resolve the package, which is optional.
  const name: string = 'nodemailer';
  try {
    const loaded = (await import(name)) as Mailer & { readonly default?: Mailer };
    return loaded.default ?? loaded;
  } catch (cause) {
    // The further lines of Node's message only name the files that tried to load the package.
    const [reason = ''] = describeCause(cause).split('\n');
    throw new Error(`it needs the package nodemailer: npm install nodemailer (${reason})`, { cause });
  }
}

/**
 * Gives a mail to the server.
 * @returns the recipients that the server has refused
 * @throws DeliveryError if the server refuses all recipients
 */
export async function sendMail(mailer: Mailer, mail: Mail, route: MailRoute): Promise<readonly string[]> {
  const socket = await connected(route);
  const abort = (): void => void socket.destroy(route.signal.reason as Error);
  route.signal.addEventListener('abort', abort, { once: true });
  try {
    const { rejected = [] } = await mailer.createTransport(transportOptions(route, socket)).sendMail({
      ...mail,
      // The text of the mail comes from errors, and must not attach files.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return rejected.map(String);
  } catch (error) {
    throw asDeliveryError(error);
  } finally {
    route.signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** Connects to the server here, as nodemailer's own connecting cannot be aborted. */
function connected({ host, port, clock, signal }: MailRoute): Promise<Socket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host, port });
    const fail = (error: Error): void => {
      cancel();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason as Error);
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () =>
      fail(new DeliveryError(`no connection within ${CONNECT_TIMEOUT_MS} ms`, 'transient')),
    );
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail).once('connect', () => {
      cancel();
      signal.removeEventListener('abort', onAbort);
      socket.off('error', fail);
      // nodemailer reports later faults of the connection.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

function transportOptions(
  { host, port, username, password, useSsl, startTls, trusted, onLine }: MailRoute,
  socket: Socket,
): object {
  const isTrusted = trusted.includes('*') || trusted.includes(host);
  return {
    ...{ host, port },
    secure: useSsl,
    // Without STARTTLS, as in Java, the connection uses TLS from the first byte on or not at all.
    ignoreTLS: !startTls,
    requireTLS: startTls,
    auth: { user: username, pass: password },
    tls: { rejectUnauthorized: !isTrusted },
    getSocket: (_: object, callback: (error: null, options: object) => void) => callback(null, { connection: socket }),
    ...(onLine !== undefined && { logger: lineLogger(onLine), debug: true }),
  };
}

/** A logger as nodemailer takes it. */
function lineLogger(onLine: (line: string) => void): object {
  const log = (_entry: object, message: string, ...values: unknown[]): void => onLine(format(message, ...values));
  return { level: () => undefined, trace: log, debug: log, info: log, warn: log, error: log, fatal: log };
}

/** SMTP's replies from 500 on are final; so are problems of the addresses or the certificate. */
function asDeliveryError(error: unknown): DeliveryError {
  const { responseCode, code } = (error ?? {}) as { readonly responseCode?: unknown; readonly code?: unknown };
  const isFinal =
    (typeof responseCode === 'number' && responseCode >= 500) || code === 'EENVELOPE' || code === 'ENOAUTH';
  return new DeliveryError(describeCause(error), isFinal ? 'final' : 'transient');
}
