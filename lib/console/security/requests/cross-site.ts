/**
 * Whether a request that changes something comes from the console's own page. Browsers send cookies (and passwords of
 * HTTP Basic) along with requests of any page; what they say of where a request comes from, a page cannot change.
 */
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type ConsoleRequest } from '../callers/caller.js';
import { type RequestOrigin } from '../callers/request-origin.js';
import { headerOf } from '../callers/trusted-proxies.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** What a request has shown of who it comes from. */
export type Credentials = 'cookie' | 'basic' | 'token' | 'none';

/**
 * Refuses requests of other sites' pages: unsafe methods, and all methods with HTTP Basic, need `Sec-Fetch-Site:
 * same-origin`, or without that header an `Origin` that is the console's; with a cookie, also `X-EJC: 1`, and JSON if
 * they have a body. Tokens are sent by no browser by itself.
 * @throws ConsoleProblem 403 `cross-site`, or 415 `not-json`
 */
export function refuseCrossSite(request: ConsoleRequest, origin: RequestOrigin, credentials: Credentials): void {
  if (credentials === 'token') return;
  // The oldest API has GETs that change something, and browsers send a password that they know along with each request.
  if (SAFE_METHODS.includes(request.method) && credentials !== 'basic') return;
  const isOwn = isFromOwnPage(request, origin);
  // Without both headers it is no browser, or one that is too old to be trusted with cookies.
  if (isOwn === false || (isOwn === undefined && credentials === 'cookie')) throw crossSite();
  if (credentials === 'cookie' && headerOf(request, 'x-ejc') !== '1') throw crossSite();
  if (hasBody(request) && !isJson(request))
    throw new ConsoleProblem(
      415,
      'not-json',
      'The body of a request must be JSON, with the header content-type: application/json.',
    );
}

/** @returns `undefined` if the request does not say where it comes from */
function isFromOwnPage(request: ConsoleRequest, { origin }: RequestOrigin): boolean | undefined {
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const given = headerOf(request, 'origin');
  return given === undefined ? undefined : given === origin;
}

function hasBody(request: ConsoleRequest): boolean {
  const length = headerOf(request, 'content-length');
  return headerOf(request, 'transfer-encoding') !== undefined || (length !== undefined && length !== '0');
}

function isJson(request: ConsoleRequest): boolean {
  return /^application\/json\s*(;|$)/i.test(headerOf(request, 'content-type') ?? '');
}

function crossSite(): ConsoleProblem {
  return new ConsoleProblem(
    403,
    'cross-site',
    "This request does not come from the console's own page. Scripts use a token: the header Access-Token.",
  );
}
