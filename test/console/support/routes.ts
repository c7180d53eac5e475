import { RequestMethod, type Type } from '@nestjs/common';
import { ElasticJobConsoleModule } from '../../../lib/console/console.module.js';
import { routesOf } from '../../../lib/console/http/protected-controllers.js';
import {
  PERMISSION_METADATA,
  type RequiredPermission,
} from '../../../lib/console/security/callers/permit.decorator.js';

/** A route of the console. */
export interface Route {
  readonly method: string;
  /** `/api/v1/users/:username` */
  readonly path: string;
  readonly permission: RequiredPermission;
}

/** All routes that the console's module registers, as Nest sees them. */
export function allRoutes(): readonly Route[] {
  const controllers = ElasticJobConsoleModule.forRoot().controllers ?? [];
  return controllers.flatMap(routesOfController);
}

function routesOfController(controller: Type): readonly Route[] {
  const bases = texts(Reflect.getMetadata('path', controller));
  return routesOf(controller).flatMap(({ handler }) => {
    const permission = Reflect.getMetadata(PERMISSION_METADATA, handler) as RequiredPermission;
    const verb = RequestMethod[Reflect.getMetadata('method', handler) as RequestMethod] ?? '';
    return bases.flatMap((base) =>
      texts(Reflect.getMetadata('path', handler)).map((path) => ({
        method: verb === 'ALL' ? 'GET' : verb,
        path: `/${base}/${path}`.replaceAll(/\/+/g, '/').replace(/(?<=.)\/$/, ''),
        permission,
      })),
    );
  });
}

function texts(path: unknown): readonly string[] {
  return Array.isArray(path) ? (path as string[]) : [String(path)];
}
