import { RequestMethod, type Type } from '@nestjs/common';
import { routesOf } from './protected-controllers.js';

/** The methods of the console's routes by path: another method at a known path is answered by 405, not by 404. */
export class KnownRoutes {
  readonly #routes: readonly { readonly method: string; readonly segments: readonly string[] }[];

  constructor(controllers: readonly Type[]) {
    this.#routes = controllers.flatMap((controller) =>
      routesOf(controller).flatMap(({ handler }) => {
        const method = RequestMethod[Reflect.getMetadata('method', handler) as RequestMethod] ?? '';
        const bases = [Reflect.getMetadata('path', controller) as string | string[]].flat();
        const paths = [Reflect.getMetadata('path', handler) as string | string[]].flat();
        return bases.flatMap((base) => paths.map((path) => ({ method, segments: segmentsOf(`${base}/${path}`) })));
      }),
    );
  }

  /**
   * The methods at a path below that of the console, as the header `Allow` has them; `undefined` if there is no such
   * path.
   */
  allowAt(path: string): string | undefined {
    const asked = segmentsOf(path);
    const found = this.#routes.filter(({ segments }) => fits(asked, segments)).map(({ method }) => method);
    const all = new Set(found.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
    return all.size === 0 ? undefined : [...all].sort().join(', ');
  }
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function fits(asked: readonly string[], route: readonly string[]): boolean {
  return asked.length === route.length && route.every((each, index) => each.startsWith(':') || each === asked[index]);
}
