import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** The result of a login at the provider. */
export interface IdentityOptions {
  /** Come before those of the token that is right. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with another key than the published one. */
  readonly signsWithOther?: boolean;
}

/** A key of the provider, and one of somebody else. */
const [KEY, OTHER] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));

/** A tiny provider of logins by OpenID Connect on loopback: discovery, keys (RS256), and codes with PKCE. */
export class IdentityProvider implements AsyncDisposable {
  readonly #server: Server;
  readonly #codes = new Map<string, URLSearchParams>();
  /** The options of the next ID tokens. */
  next: IdentityOptions = {};

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<IdentityProvider> {
    const server = createServer();
    const provider = new IdentityProvider(server);
    server.on('request', (request, response) => void provider.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * The user confirms a login.
   * @param url to which the console has sent the browser.
   * @returns to where the provider sends it back
   */
  confirm(url: string): URL {
    const asked = new URL(url).searchParams;
    const code = createHash('sha256').update(url).digest('hex');
    this.#codes.set(code, asked);
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    return back;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { issuer } = this;
    const { pathname } = new URL(request.url ?? '/', issuer);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answers: Readonly<Record<string, () => object | undefined>> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/jwks': () => ({
        keys: [
          {
            ...(KEY as { publicKey: KeyObject }).publicKey.export({ format: 'jwk' }),
            kid: 'k1',
            alg: 'RS256',
            use: 'sig',
          },
        ],
      }),
      '/token': () => this.#tokens(new URLSearchParams(Buffer.concat(chunks).toString())),
    };
    const body = answers[pathname]?.();
    response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'invalid_grant' }));
  }

  #tokens(form: URLSearchParams): object | undefined {
    const asked = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      asked?.get('code_challenge') === challenge &&
      asked.get('redirect_uri') === form.get('redirect_uri') &&
      form.get('client_secret') === 'the secret of the console';
    return isRight ? { access_token: 'a', token_type: 'Bearer', id_token: this.#idToken(asked) } : undefined;
  }

  #idToken(asked: URLSearchParams): string {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      ...{ iss: this.issuer, aud: asked.get('client_id'), sub: '4711', iat: now, exp: now + 300 },
      ...{ nonce: asked.get('nonce'), preferred_username: 'nora' },
      ...this.next.claims,
    };
    const encoded = [{ alg: 'RS256', kid: 'k1' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const pair = (this.next.signsWithOther === true ? OTHER : KEY) as { readonly privateKey: KeyObject };
    const signature = createSign('RSA-SHA256').update(encoded.join('.')).sign(pair.privateKey, 'base64url');
    return [...encoded, signature].join('.');
  }
}
