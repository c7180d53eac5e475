/**
 * The page to open after a login: a path below the console's own page, `/jobs/syncOrders?tab=runs`. Anything that a
 * browser could take for another host is replaced by the first page.
 */
export function localPath(returnTo: unknown): string {
  if (typeof returnTo !== 'string' || returnTo.length > 2_000 || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(returnTo))
    return '/';
  const base = 'http://console.invalid';
  const url = new URL(URL.canParse(returnTo, base) ? returnTo : '/', base);
  return url.origin === base && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/';
}
