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

/**
 * Browsers that were once here by TLS come by nothing else for a year. It holds for this host alone, not for those
 * below it.
 */
const ONLY_TLS = { 'strict-transport-security': 'max-age=31536000' } as const;

/** Headers of every answer, and by TLS that of it. */
export function securityHeaders({ isSecure }: { readonly isSecure: boolean }): Readonly<Record<string, string>> {
  return isSecure ? { ...SECURITY_HEADERS, ...ONLY_TLS } : SECURITY_HEADERS;
}

/** Headers of every answer. What may be kept by caches says its own `cache-control`. */
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
