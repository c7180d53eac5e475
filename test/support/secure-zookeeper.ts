import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ZooKeeperServer } from './zookeeper-server.js';

const JAAS = `Server {
  org.apache.zookeeper.server.auth.DigestLoginModule required
  user_jobs="s3cret";
};`;

/** A server that asks clients for a certificate, and knows one SASL user: `jobs`, whose password is `s3cret`. */
export class SecureZooKeeper implements AsyncDisposable {
  private constructor(
    /** `localhost:port`, for TLS. */
    readonly address: string,
    private readonly directory: string,
    private readonly server: ZooKeeperServer,
  ) {}

  static async start(): Promise<SecureZooKeeper> {
    const directory = mkdtempSync(join(tmpdir(), 'zookeeper-security-'));
    const file = (name: string): string => join(directory, name);
    for (const name of ['server', 'client']) makeCertificate(directory, name);
    const trust = ['-keystore', file('trust.p12'), '-storepass', 'changeit', '-storetype', 'PKCS12', '-noprompt'];
    for (const name of ['server', 'client'])
      execFileSync('keytool', ['-importcert', '-alias', name, '-file', file(`${name}.pem`), ...trust], {
        stdio: 'ignore',
      });
    const port = await freePort();
    const server = await ZooKeeperServer.start({
      configuration: [
        'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
        `secureClientPort=${port}`,
        `ssl.keyStore.location=${file('server.p12')}`,
        'ssl.keyStore.password=changeit',
        `ssl.trustStore.location=${file('trust.p12')}`,
        'ssl.trustStore.password=changeit',
        'ssl.clientAuth=need',
        'authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider',
      ],
      systemProperties: { 'java.security.auth.login.config': '{dir}/jaas.conf' },
      files: { 'jaas.conf': JAAS },
    });
    return new SecureZooKeeper(`localhost:${port}`, directory, server);
  }

  /**
   * Path of a file in the folder of the certificates: `server.pem`; `client.pem` with `client.key`, whose passphrase is
   * `changeit`; or one that the test makes.
   */
  file(name: string): string {
    return join(this.directory, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.dispose();
    rmSync(this.directory, { recursive: true });
  }
}

/** A self-signed certificate for localhost in `<name>.pem`, its encrypted key in `<name>.key`, both in `<name>.p12`. */
function makeCertificate(directory: string, name: string): void {
  const run = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  const file = (extension: string): string => join(directory, `${name}.${extension}`);
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['-keyout', file('key'), '-out', file('pem')];
  run('req', '-x509', '-newkey', 'rsa:2048', '-passout', 'pass:changeit', '-days', '2', ...subject, ...made);
  const store = ['-inkey', file('key'), '-passin', 'pass:changeit', '-passout', 'pass:changeit', '-out', file('p12')];
  run('pkcs12', '-export', '-in', file('pem'), ...store);
}
