import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import { type Permission } from '../../contract/common.js';

/**
 * The requirement of a route: a permission, or `public` for all callers, even without a login. All users who are logged
 * in have `read`.
 */
export type RequiredPermission = Permission | 'public';

/** The metadata key for the requirement of a route. */
export const PERMISSION_METADATA = 'elasticjob:permission';

/**
 * Sets the permission that a route requires. A route of the console without it refuses all callers, and the console
 * does not start.
 */
export function Permit(permission: RequiredPermission): CustomDecorator {
  return SetMetadata(PERMISSION_METADATA, permission);
}
