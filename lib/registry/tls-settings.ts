import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { BooleanSetting, type Constraint, rule, TextSetting } from '../api/settings/setting.js';

/**
 * TLS to the servers. Certificates and keys are paths of files in PEM format, absolute or relative to the working
 * directory of the process, or the PEM texts themselves, which begin with `-----BEGIN`. Files are read when the
 * connection is prepared. An empty map means TLS with the certificate authorities that Node knows.
 */
export class TlsSettings {
  /** Certificates of the authorities that have signed the servers' certificates. Default: Node's own. */
  @TextSetting({}, rule('file', fileProblem)) ca?: string;
  /** This client's certificate, for servers that ask for one; with `key`. Default: none. */
  @TextSetting({}, rule('file', fileProblem), pairedWith('key')) cert?: string;
  /** The private key of `cert`. Default: none. */
  @TextSetting({ secrecy: 'hidden' }, rule('file', fileProblem), pairedWith('cert')) key?: string;
  /** Decrypts the private key. Default: the key is not encrypted. */
  @TextSetting({ secrecy: 'hidden' }) passphrase?: string;
  /** The name that the servers' certificates must have. Default: the host name of each server. */
  @TextSetting() servername?: string;
  /**
   * False accepts any certificate, so that anyone between this process and the servers can read and write. Default:
   * true.
   */
  @BooleanSetting() rejectUnauthorized?: boolean;
}

/** The TLS options passed to `tls.connect`. */
type TlsMaterial = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized'>;

/**
 * The settings as Node's `tls.connect` takes them.
 * @throws InvalidConfigurationError if the files are no certificates, or the key does not fit
 */
export function tlsOptions(
  { ca, cert, key, passphrase, servername, rejectUnauthorized }: TlsSettings,
  path: string,
): TlsMaterial {
  try {
    const material = {
      ...(ca !== undefined && { ca: pemOf(ca) }),
      ...(cert !== undefined && { cert: pemOf(cert) }),
      ...(key !== undefined && { key: pemOf(key) }),
      ...(passphrase !== undefined && { passphrase }),
    };
    createSecureContext(material);
    return {
      ...material,
      ...(servername !== undefined && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidConfigurationError([`${path}: the files cannot be used for TLS: ${reason}`], { cause });
  }
}

/** True if a text is a certificate or a key in PEM format, and not the path of a file. */
export function isPem(text: string): boolean {
  return /^\s*-----BEGIN /.test(text);
}

function pemOf(text: string): string | Buffer {
  return isPem(text) ? text : readFileSync(text);
}

/** @returns the problem with the path of a file, or undefined */
function fileProblem(file: string): string | undefined {
  try {
    pemOf(file);
    return undefined;
  } catch (error) {
    return `must be the path of a file that can be read (${(error as NodeJS.ErrnoException).code ?? String(error)}), or a text in PEM format`;
  }
}

function pairedWith(other: 'cert' | 'key'): Constraint {
  return rule('pair', (_: string, tls: TlsSettings) =>
    tls[other] === undefined ? `must be given together with ${other}` : undefined,
  );
}
