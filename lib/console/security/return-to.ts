/**
 * Where to go after a login: a path below the console's own page, `/jobs/syncOrders?tab=runs`. Anything that a browser could take
 * for another host is replaced by the first page.
 */
export function localPath(returnTo: unknown): string {
  if (typeof returnTo !== 'string' || returnTo.length > 2_000 || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(returnTo)) return '/';
  const base = new URL('http://console.invalid');
  const url = URL.canParse(returnTo, base) ? new URL(returnTo, base) : base;
  return url.origin === base.origin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/';
}
