import { createHash, timingSafeEqual } from 'node:crypto';

/** A user known to the server's JAAS configuration. */
export interface SaslCredentials {
  readonly username: string;
  readonly password: string;
}

/** The service name and host that ZooKeeper uses for DIGEST-MD5 everywhere, regardless of the server's name. */
const DIGEST_URI = 'zookeeper/zk-sasl-md5';
/** Always the first use: the server sends a new nonce in each exchange. */
const NONCE_COUNT = '00000001';
const QUALITY = 'auth';

/** The client's side of one DIGEST-MD5 exchange (RFC 2831): the server proves that it knows the password, too. */
export interface DigestMd5Exchange {
  /** The message that answers the challenge. */
  readonly response: Buffer;
  /** True if the server's last token proves that it knows the password. */
  isProvenBy(token: Buffer): boolean;
}

/**
 * Answers a challenge. `clientNonce` is a new random text without quotes.
 * @throws Error unless the challenge is one of DIGEST-MD5 with quality of protection `auth`
 */
export function answerChallenge(
  challenge: Buffer,
  { username, password }: SaslCredentials,
  clientNonce: string,
): DigestMd5Exchange {
  const directives = parseDirectives(challenge.toString('utf8'));
  const nonce = directives.get('nonce');
  const qualities = (directives.get('qop') ?? QUALITY).split(',').map((quality) => quality.trim());
  if (nonce === undefined || !qualities.includes(QUALITY)) {
    throw new Error('the server did not offer SASL DIGEST-MD5 with quality of protection "auth"');
  }
  const realm = directives.get('realm');
  const utf8 = directives.get('charset') === 'utf-8';
  const encode = (value: string): Buffer => encoded(value, { utf8 });
  const colon = Buffer.from(':');
  const secret = md5(Buffer.concat([encode(username), colon, encode(realm ?? ''), colon, encode(password)]));
  const a1 = md5(Buffer.concat([secret, Buffer.from(`:${nonce}:${clientNonce}`)])).toString('hex');
  const proof = (a2: string): string => {
    const digest = md5(Buffer.from(a2)).toString('hex');
    return md5(Buffer.from([a1, nonce, NONCE_COUNT, clientNonce, QUALITY, digest].join(':'))).toString('hex');
  };

  const fields = [
    ...(utf8 ? ['charset=utf-8'] : []),
    `username=${quoted(username)}`,
    ...(realm === undefined ? [] : [`realm=${quoted(realm)}`]),
    `nonce=${quoted(nonce)}`,
    `nc=${NONCE_COUNT}`,
    `cnonce=${quoted(clientNonce)}`,
    `digest-uri=${quoted(DIGEST_URI)}`,
    'maxbuf=65536',
    `response=${proof(`AUTHENTICATE:${DIGEST_URI}`)}`,
    `qop=${QUALITY}`,
  ];
  const expected = Buffer.from(proof(`:${DIGEST_URI}`));
  return {
    response: Buffer.from(fields.join(','), utf8 ? 'utf8' : 'latin1'),
    isProvenBy(token) {
      const given = Buffer.from(parseDirectives(token.toString('utf8')).get('rspauth') ?? '');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

function md5(data: Buffer): Buffer {
  return createHash('md5').update(data).digest();
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** RFC 2831 hashes text that fits into ISO 8859-1 in that encoding, even if UTF-8 was agreed for the wire. */
function encoded(value: string, { utf8 }: { readonly utf8: boolean }): Buffer {
  // eslint-disable-next-line no-control-regex -- the range is that of ISO 8859-1
  const fitsLatin1 = /^[\u0000-\u00ff]*$/.test(value);
  return Buffer.from(value, utf8 && !fitsLatin1 ? 'utf8' : 'latin1');
}

/** `name=value,name="quoted value"`, with backslash escapes inside quotes. */
function parseDirectives(source: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const [, name, inQuotes, bare] of source.matchAll(
    /(?<![\w-])([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^,\s]*))/g,
  )) {
    directives.set((name ?? '').toLowerCase(), inQuotes?.replace(/\\(.)/g, '$1') ?? bare ?? '');
  }
  return directives;
}
