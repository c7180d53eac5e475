/** The package openid-client, which is loaded only for logins by OpenID Connect. */
import { describeCause } from '../../../api/text/describe-cause.js';
import { isModuleMissing } from '../../options/missing-package.js';

/** The parts of openid-client 6 that are used. */
export interface OpenidClient {
  discovery(
    server: URL,
    clientId: string,
    metadata?: Readonly<Record<string, unknown>>,
    authentication?: unknown,
    options?: { readonly execute?: readonly unknown[]; readonly timeout?: number },
  ): Promise<OidcConfiguration>;
  None(): unknown;
  ClientSecretPost(secret: string): unknown;
  readonly allowInsecureRequests: unknown;
  readonly enableNonRepudiationChecks: unknown;
  randomPKCECodeVerifier(): string;
  calculatePKCECodeChallenge(verifier: string): Promise<string>;
  randomState(): string;
  randomNonce(): string;
  buildAuthorizationUrl(configuration: OidcConfiguration, parameters: Readonly<Record<string, string>>): URL;
  authorizationCodeGrant(
    configuration: OidcConfiguration,
    currentUrl: URL,
    checks: Readonly<Record<string, unknown>>,
  ): Promise<{
    readonly id_token?: string;
    claims(): Readonly<Record<string, unknown>> | undefined;
  }>;
}

/** The configuration of a provider in openid-client. */
export interface OidcConfiguration {
  serverMetadata(): Readonly<Record<string, unknown>>;
}

/** Loads openid-client. @throws Error that names the package to install */
export async function loadOpenidClient(): Promise<OpenidClient> {
  try {
    return (await import('openid-client')) as unknown as OpenidClient;
  } catch (cause) {
    const reason = isModuleMissing(cause, 'openid-client')
      ? 'the package openid-client is not installed: npm install openid-client@6'
      : `openid-client cannot be loaded: ${describeCause(cause)}`;
    throw new Error(`Logins by OpenID Connect do not work, as ${reason}`, { cause });
  }
}
