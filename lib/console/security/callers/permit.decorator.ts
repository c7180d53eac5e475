import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import { type Permission } from '../../contract/common.js';

/**
 * What a route asks for: a permission, or `public` for everybody, logged in or not. `read` is what everybody has who is
 * logged in.
 */
export type RequiredPermission = Permission | 'public';

/** Where `@Permit` keeps what a route asks for. */
export const PERMISSION_METADATA = 'elasticjob:permission';

/**
 * Says what a caller must be permitted to use a route. A route of the console without it refuses everybody, and the
 * console does not start.
 */
export function Permit(permission: RequiredPermission): CustomDecorator {
  return SetMetadata(PERMISSION_METADATA, permission);
}
