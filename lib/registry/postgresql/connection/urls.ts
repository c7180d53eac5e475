/** URLs of PostgreSQL: `postgres://user:password@host:5432/database?sslmode=require`, with one host or several. */

/** The values of `sslmode` that `pg` knows. It takes others as none, and encrypts. */
const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The URL once for each of its hosts, which commas separate as for libpq. `pg` itself takes one. */
export function urlsOf(url: string): readonly string[] {
  const [authority = ''] = /(?<=^postgres(?:ql)?:\/\/)[^/?#]*/.exec(url) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  const end = url.indexOf(authority) + authority.length;
  return hosts.split(',').map((host) => `${url.slice(0, end - hosts.length)}${host}${url.slice(end)}`);
}

/** @returns the problem with the hosts or the `sslmode` of a URL, or undefined; the form of the rest is not checked */
export function urlProblem(url: string): string | undefined {
  const parsed = urlsOf(url).map((each) => (URL.canParse(each) ? new URL(each) : undefined));
  if (parsed.includes(undefined)) return 'must have hosts that a URL can have, with ports up to 65535';
  const mode = parsed[0]?.searchParams.get('sslmode') ?? undefined;
  return mode === undefined || SSL_MODES.includes(mode)
    ? undefined
    : `must have one of ${SSL_MODES.join(', ')} as sslmode`;
}
