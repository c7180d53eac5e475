import { createHash, X509Certificate } from 'node:crypto';
import { type Role } from '../contract/common.js';

/** A rule that gives users of a provider a role. */
export interface OidcRoleRule {
  /** A claim of the ID token, `groups`; dots go into maps: `realm_access.roles`. */
  readonly claim: string;
  /** The value that the claim must have, or that a list in the claim must contain. */
  readonly value: string;
  readonly role: Role;
}

/** A provider of logins by OpenID Connect. */
export interface OidcSettings {
  /** Lower-case letters, digits and hyphens; part of the redirect URI: `…/api/v1/auth/oidc/<name>/callback`. */
  readonly name: string;
  /** The text of the login button. Default: the name. */
  readonly title?: string;
  /** The URL of the provider, as in its own discovery document. HTTPS, or HTTP on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  /** Default: none; the console is then a public client. */
  readonly clientSecret?: string;
  /** Default: `openid profile email`. */
  readonly scope?: string;
  /** The claim that names the user. Default: `preferred_username`, or `sub` if the token has no such claim. */
  readonly usernameClaim?: string;
  /** Claims that a login must have, with their values. Default: none. */
  readonly requiredClaims?: Readonly<Record<string, string>>;
  /** Rules for roles; of all rules that match, the strongest role counts. Default: none. */
  readonly roles?: readonly OidcRoleRule[];
  /** The role of users for whom no rule matches; `none` refuses them. Default: `guest`. Never `admin`. */
  readonly defaultRole?: 'guest' | 'operator' | 'none';
  /**
   * PEM. If given, the key of this certificate must have signed the ID tokens, besides the keys that the provider
   * publishes.
   */
  readonly certificate?: string;
}

/** Casdoor, with the setting names of ElasticJob's console. */
export interface CasdoorSettings {
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** PEM; see `OidcSettings.certificate`. */
  readonly certificate?: string;
  readonly organizationName: string;
  readonly applicationName: string;
  readonly roles?: readonly OidcRoleRule[];
  readonly defaultRole?: OidcSettings['defaultRole'];
}

/** Casdoor as an OpenID Connect provider: users must belong to the organisation, and are named by the claim `name`. */
export function casdoorProvider(settings: CasdoorSettings): OidcSettings {
  const { endpoint, clientId, clientSecret, certificate, organizationName, roles, defaultRole } = settings;
  return {
    ...{ name: 'casdoor', title: 'Casdoor', issuer: endpoint, clientId, clientSecret },
    ...{ usernameClaim: 'name', requiredClaims: { owner: organizationName } },
    ...(certificate !== undefined && { certificate }),
    ...(roles !== undefined && { roles }),
    ...(defaultRole !== undefined && { defaultRole }),
  };
}

/** The sample credentials in ElasticJob's console. */
const SAMPLE_CLIENT_ID = '3ed79fa530645fbd3653';
const SAMPLE_CLIENT_SECRET = '54633c82b7796a4332c6976864c6c16bc3b05556';
/** SHA-256 of the public key of Casdoor's former demonstration certificate, whose private key is public. */
const DEMO_KEY = 'e9750c7433124b38d6d3c7aee87a65b64e80c3b6ec2cade26a9a9fadad061b4a';

/** True if a client id or secret is the sample of ElasticJob's console. */
export function isSampleClient({
  clientId,
  clientSecret,
}: {
  readonly clientId?: unknown;
  readonly clientSecret?: unknown;
}): boolean {
  return clientId === SAMPLE_CLIENT_ID || clientSecret === SAMPLE_CLIENT_SECRET;
}

/** @returns the problem with a certificate, as a requirement; `undefined` if there is none */
export function certificateProblem(certificate: string): string | undefined {
  let key: Buffer;
  try {
    key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    return 'must be a certificate in PEM, from -----BEGIN CERTIFICATE----- on';
  }
  return createHash('sha256').update(key).digest('hex') === DEMO_KEY
    ? 'must not be the demonstration certificate of Casdoor: its private key is public, so that anybody could log in as anybody'
    : undefined;
}
