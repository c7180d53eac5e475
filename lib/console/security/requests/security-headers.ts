const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

/** Browsers that have used TLS here use only TLS for a year. It applies only to this host, not to its subdomains. */
const ONLY_TLS = { 'strict-transport-security': 'max-age=31536000' } as const;

/** The headers of every answer; with TLS, also the one that requires TLS. */
export function securityHeaders({ isSecure }: { readonly isSecure: boolean }): Readonly<Record<string, string>> {
  return isSecure ? { ...SECURITY_HEADERS, ...ONLY_TLS } : SECURITY_HEADERS;
}

/** The headers of every answer. Answers that caches may keep set their own `cache-control`. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};
