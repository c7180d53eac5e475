import { type ConsoleRequest } from '../../security/caller.js';

/** A request of Express or Fastify with the route that it took. */
interface RoutedRequest extends ConsoleRequest {
  /** Express: where the application is mounted in another one. */
  readonly baseUrl?: string;
  /** Express. */
  readonly route?: { readonly path?: string };
  /** Fastify. */
  readonly routeOptions?: { readonly url?: string };
}

/**
 * Under which path the console is reached, without a slash at its end: the application's prefix is in it, wherever the
 * application has it from. It is the path of the page's route without its wildcard.
 */
export function basePath(request: RoutedRequest): string {
  const { baseUrl = '', route, routeOptions } = request;
  return `${baseUrl}${route?.path ?? routeOptions?.url ?? ''}`.replace(/\{?\/?\*.*$/, '').replace(/\/$/, '');
}

/** The path of a request below the console's, decoded: `assets/index-3f2a.js`. */
export function pathBelow(request: RoutedRequest): string {
  const [path = ''] = (request.originalUrl ?? request.url).split('?');
  const below = path.slice(basePath(request).length).replace(/^\/+/, '');
  try {
    return decodeURIComponent(below);
  } catch {
    return below;
  }
}
