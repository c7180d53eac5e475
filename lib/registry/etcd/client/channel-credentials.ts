import { isIP } from 'node:net';
import type * as Grpc from '@grpc/grpc-js';
import { type ConnectionOptions, type SecureContext } from 'node:tls';
import { type Endpoint } from './endpoints.js';

/** Certificates and how to check the server's. */
export interface EtcdTls {
  readonly context: SecureContext;
  readonly rejectUnauthorized: boolean;
  /** The name that the server's certificate must have; `undefined`: the endpoint's host. */
  readonly servername: string | undefined;
  /** Checks the name in a certificate. `undefined`: Node's own check. */
  readonly checkServerIdentity?: ConnectionOptions['checkServerIdentity'];
}

/** The credentials with which gRPC connects to an endpoint: TLS if the endpoint has `https`. */
export function channelCredentials(
  grpc: typeof Grpc,
  { isSecure }: Endpoint,
  tls: EtcdTls | undefined,
): Grpc.ChannelCredentials {
  if (!isSecure) return grpc.credentials.createInsecure();
  if (tls === undefined) return withoutAddressAsName(grpc.credentials.createSsl());
  const { context, rejectUnauthorized, checkServerIdentity } = tls;
  return withoutAddressAsName(
    grpc.credentials.createFromSecureContext(context, {
      rejectUnauthorized,
      ...(checkServerIdentity !== undefined && { checkServerIdentity }),
    }),
  );
}

/** Members of gRPC's classes that it does not document. */
interface Undocumented {
  _createSecureConnector?: (...parameters: readonly unknown[]) => {
    readonly connectionOptions?: { servername?: string; host?: string };
  };
}

/**
 * gRPC tells the server the host as its name, even if that is an IP address. RFC 6066 forbids that, and Node warns of
 * it (DEP0123). The address is still checked against the certificate: Node takes `host` then, which gRPC may not set.
 */
function withoutAddressAsName(credentials: Grpc.ChannelCredentials): Grpc.ChannelCredentials {
  const undocumented = credentials as unknown as Undocumented;
  const create = undocumented._createSecureConnector?.bind(credentials);
  if (create === undefined) return credentials;
  undocumented._createSecureConnector = (...parameters) => {
    const connector = create(...parameters);
    const options = connector.connectionOptions;
    const name = options?.servername;
    if (options !== undefined && name !== undefined && isIP(name) !== 0) {
      options.host ??= name;
      delete options.servername;
    }
    return connector;
  };
  return credentials;
}
