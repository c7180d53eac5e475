/**
 * Checks that a request with an effect comes from the console's own page. Browsers send cookies (and passwords of HTTP
 * Basic) with requests of any page, but a page cannot change the headers in which browsers name its origin.
 */
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type ConsoleRequest } from '../callers/caller.js';
import { type RequestOrigin } from '../callers/request-origin.js';
import { headerOf } from '../callers/trusted-proxies.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** The kind of credentials of a request. */
export type Credentials = 'cookie' | 'basic' | 'token' | 'none';

/**
 * Refuses requests of other sites' pages: unsafe methods, and all methods with HTTP Basic, need `Sec-Fetch-Site:
 * same-origin`, or without that header an `Origin` that is the console's; with a cookie, also `X-EJC: 1`, and JSON if
 * they have a body. Requests with a token are not checked, as no browser adds tokens by itself.
 * @throws ConsoleProblem 403 `cross-site`, or 415 `not-json`
 */
export function refuseCrossSite(request: ConsoleRequest, origin: RequestOrigin, credentials: Credentials): void {
  if (credentials === 'token') return;
  // The oldest API has GETs with effects, and browsers send a known password with each request.
  if (SAFE_METHODS.includes(request.method) && credentials !== 'basic') return;
  const isOwn = isFromOwnPage(request, origin);
  // A client without both headers is no browser, or one that is too old for secure cookies.
  if (isOwn === false || (isOwn === undefined && credentials === 'cookie')) throw crossSite();
  if (credentials === 'cookie' && headerOf(request, 'x-ejc') !== '1') throw crossSite();
  if (hasBody(request) && !isJson(request))
    throw new ConsoleProblem(
      415,
      'not-json',
      'The body of a request must be JSON, with the header content-type: application/json.',
    );
}

/** @returns `undefined` if the request does not name its origin */
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
