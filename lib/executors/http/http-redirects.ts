import { exchange, type ExchangeOptions, type HttpAnswer, type HttpRequest } from './http-exchange.js';

/** The most redirects of a request, as in Java. */
const MOST_REDIRECTS = 20;

/**
 * Makes a request, and follows redirects as Java does: a POST becomes a GET without a body, except for 307 and 308, and
 * the protocol stays the same. Unlike in Java, `http` may become `https`, and another host receives neither the body
 * nor the sharding context.
 * @param options.keepsRequest true if another host receives them all the same
 * @returns the last answer; it may be a redirect that is not followed
 * @throws as `exchange`, and if there are more than 20 redirects
 */
export async function followed(
  first: HttpRequest,
  { keepsRequest, ...options }: ExchangeOptions & { readonly keepsRequest: boolean },
): Promise<HttpAnswer> {
  let request = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    // One after the other, as an answer names the target of the next request.
    const answer = await exchange(request, options);
    const next = redirected(request, answer, keepsRequest);
    if (next === undefined) return answer;
    request = next;
  }
  throw new Error(`the server has redirected more than ${MOST_REDIRECTS} times`);
}

/** True if an answer redirects the request. */
export function isRedirect({ status, location }: HttpAnswer): boolean {
  return [301, 302, 303, 307, 308].includes(status) && location !== undefined;
}

function redirected(request: HttpRequest, answer: HttpAnswer, keepsRequest: boolean): HttpRequest | undefined {
  const { location = '', status } = answer;
  if (!isRedirect(answer) || !URL.canParse(location, request.url.href)) return undefined;
  const url = new URL(location, request.url);
  if (url.protocol !== request.url.protocol && url.protocol !== 'https:') return undefined;
  const isElsewhere = url.host !== request.url.host && !keepsRequest;
  if (status < 307 && request.method === 'POST')
    return { url, method: 'GET', headers: headersFor(request, isElsewhere), body: '' };
  if (!isElsewhere) return { ...request, url };
  // Another host gets no body, and a request without its body has another meaning: an empty PUT may delete content.
  return request.body === '' ? { ...request, url, headers: headersFor(request, isElsewhere) } : undefined;
}

/** The headers without those of a body and, for another host, without the sharding context. */
function headersFor({ headers }: HttpRequest, isElsewhere: boolean): HttpRequest['headers'] {
  const kept = Object.entries(headers).filter(
    ([name]) => !name.startsWith('Content-') && !(isElsewhere && name === 'shardingContext'),
  );
  return Object.fromEntries(kept);
}
