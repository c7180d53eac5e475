/**
 * A login by OpenID Connect: code flow with PKCE, by openid-client, which checks signature, issuer, audience, expiry,
 * nonce and state.
 *
 * ```
 *   browser ── start ──▶ console ── 302 ──▶ provider        state, nonce and verifier wait in a signed cookie for ten minutes
 *   browser ── callback?code&state ──▶ console ── code, verifier ──▶ provider ── ID token ──▶ console ── session ──▶ browser
 * ```
 */
import { createVerify, X509Certificate } from 'node:crypto';
import { type Wording, wording } from '../../../wording/wording.js';
import { describeCause } from '../../../api/text/describe-cause.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { isMap } from '../../../api/text/describe-value.js';
import { type Role } from '../../contract/common.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { isAtMost } from '../callers/roles.js';
import { isLoopback } from '../callers/trusted-proxies.js';
import { loadOpenidClient, type OidcConfiguration, type OpenidClient } from './openid-client.js';
import { type OidcSettings } from '../../options/oidc-settings.js';

/** The secrets of a login that are kept until the browser comes back. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A user who has logged in. */
export interface OidcUser {
  readonly username: string;
  readonly role: Role;
  /** Identifies the account, together with `sub`: names may change, and other users may get them. */
  readonly issuer: string;
  readonly sub: string;
}

const TIMEOUT_SECONDS = 10;
const NAMED_LOOPBACK = /^localhost$|\.localhost$/;

/** One provider of logins. */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #redirectUri: string;
  readonly #logger: Pick<JobLogger, 'error'>;
  #discovered: Promise<{ readonly client: OpenidClient; readonly configuration: OidcConfiguration }> | undefined;

  /** @param redirectUri the URL to which the provider sends the browser back */
  constructor(settings: OidcSettings, redirectUri: string, logger: Pick<JobLogger, 'error'>) {
    this.#settings = settings;
    this.#redirectUri = redirectUri;
    this.#logger = logger;
  }

  get name(): string {
    return this.#settings.name;
  }

  get title(): string {
    return this.#settings.title ?? this.#settings.name;
  }

  /** True if a role rule makes users of the provider administrators. */
  get hasAdmins(): boolean {
    return (this.#settings.roles ?? []).some(({ role }) => role === 'admin');
  }

  /**
   * Begins a login.
   * @returns the URL to which the browser is sent, and the secrets of the login
   * @throws ConsoleProblem 502 `login-provider` if the provider does not answer
   */
  async begin(): Promise<{ readonly url: string; readonly checks: OidcChecks }> {
    const { client, configuration } = await this.#discover();
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.#settings.scope ?? 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
    });
    return { url: url.href, checks };
  }

  /**
   * Ends a login: exchanges the code that the browser brings.
   * @param query of the request, with `?`
   * @throws ConsoleProblem 401 `login-refused` if any check fails, or the user may not log in
   */
  async finish(query: string, { state, nonce, verifier }: OidcChecks): Promise<OidcUser> {
    const { client, configuration } = await this.#discover();
    let claims: Readonly<Record<string, unknown>> | undefined;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(query, this.#redirectUri), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      this.#checkPinned(tokens.id_token ?? '');
      claims = tokens.claims();
    } catch (cause) {
      throw refusal(wording('login-not-confirmed', { title: this.title }), cause);
    }
    return this.#userOf(claims ?? {});
  }

  #userOf(claims: Readonly<Record<string, unknown>>): OidcUser {
    const { usernameClaim = 'preferred_username', requiredClaims = {}, defaultRole = 'guest' } = this.#settings;
    for (const [claim, value] of Object.entries(requiredClaims))
      if (!has(claims, claim, value)) throw refusal(wording('login-claim', { title: this.title, claim, value }));
    const { iss: issuer, sub } = claims;
    const username = claims[usernameClaim] ?? sub;
    const isKnown = [username, issuer, sub].every((each) => typeof each === 'string' && each !== '');
    if (!isKnown) throw refusal(wording('login-anonymous', { title: this.title }));
    const who = { username: (username as string).slice(0, 200), issuer: issuer as string, sub: sub as string };
    const fitting = (this.#settings.roles ?? []).filter(({ claim, value }) => has(claims, claim, value));
    const role = fitting.map((rule) => rule.role).reduce<Role | undefined>(stronger, undefined);
    if (role === undefined && defaultRole === 'none')
      throw refusal(wording('login-no-role', { title: this.title, username: who.username }));
    return { ...who, role: role ?? (defaultRole === 'operator' ? 'operator' : 'guest') };
  }

  #checkPinned(idToken: string): void {
    if (this.#settings.certificate === undefined) return;
    const [header = '', payload = '', signature = ''] = idToken.split('.');
    const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly alg?: unknown };
    const key = new X509Certificate(this.#settings.certificate).publicKey;
    const isSigned =
      alg === 'RS256' && createVerify('RSA-SHA256').update(`${header}.${payload}`).verify(key, signature, 'base64url');
    if (!isSigned) throw new Error('The ID token is not signed with the key of the certificate in the settings.');
  }

  async #discover(): Promise<{ readonly client: OpenidClient; readonly configuration: OidcConfiguration }> {
    this.#discovered ??= this.#load();
    try {
      return await this.#discovered;
    } catch (cause) {
      // The next login reads the discovery document again.
      this.#discovered = undefined;
      this.#logger.error(`Logins by ${this.title} do not work now: ${describeCause(cause)}`);
      const detail = wording('login-provider', { title: this.title });
      throw new ConsoleProblem(502, 'login-provider', detail, { cause });
    }
  }

  async #load(): Promise<{ readonly client: OpenidClient; readonly configuration: OidcConfiguration }> {
    const client = await loadOpenidClient();
    const { issuer, clientId, clientSecret } = this.#settings;
    const authentication = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret);
    const configuration = await client.discovery(new URL(issuer), clientId, {}, authentication, {
      timeout: TIMEOUT_SECONDS,
      // Without this, openid-client relies on TLS alone, and does not check the signature of the ID token.
      execute: [
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
    });
    return { client, configuration };
  }
}

/** @returns the problem with the URL of an issuer, as a requirement; `undefined` if there is none */
export function issuerProblem(issuer: string): string | undefined {
  const requirement = 'must be an HTTPS URL; HTTP is allowed on this machine only';
  if (!URL.canParse(issuer)) return requirement;
  const { protocol, hostname } = new URL(issuer);
  const isHere = NAMED_LOOPBACK.test(hostname) || isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return protocol === 'https:' || (protocol === 'http:' && isHere) ? undefined : requirement;
}

function stronger(one: Role | undefined, other: Role): Role {
  return one === undefined || isAtMost(one, other) ? other : one;
}

/**
 * True if a claim has a value, or is a list that contains it. A name with dots leads into maps, unless a claim has that
 * whole name.
 */
function has(claims: Readonly<Record<string, unknown>>, claim: string, value: string): boolean {
  const found =
    claim in claims
      ? claims[claim]
      : claim.split('.').reduce<unknown>((map, key) => (isMap(map) ? map[key] : undefined), claims);
  return Array.isArray(found) ? found.includes(value) : found === value;
}

function refusal(detail: Wording, cause?: unknown): ConsoleProblem {
  return new ConsoleProblem(401, 'login-refused', detail, { cause });
}
