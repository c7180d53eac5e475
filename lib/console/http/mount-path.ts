/**
 * Splits the path of a request at the path of the console, to find where it is mounted: the application's prefix is
 * before the console's path, and Nest does not expose it.
 * @param url the requested path, `/ops/elasticjob/jobs/a%20b`
 * @param path the console's, `/elasticjob`, or `/`
 * @returns `base`: `/ops/elasticjob`; `below`: `jobs/a b`, decoded
 */
export function mountOf(url: string, path: string): { readonly base: string; readonly below: string } {
  const own = path.replace(/\/$/, '');
  const at = own === '' ? 0 : `${url}/`.indexOf(`${own}/`);
  const end = at < 0 ? 0 : at + own.length;
  return { base: url.slice(0, end), below: decoded(url.slice(end).replace(/^\/+/, '')) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
