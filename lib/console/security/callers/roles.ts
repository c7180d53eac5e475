import { type Permission, type Role } from '../../contract/common.js';

/** The roles, the weakest first. */
export const ROLES = ['guest', 'operator', 'admin'] as const satisfies readonly Role[];

const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  guest: ['read'],
  operator: ['read', 'operate'],
  admin: ['read', 'operate', 'write', 'manage', 'admin'],
};

/** The permissions of a role. */
export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS[role];
}

/** True if `role` has no more permissions than `limit`. */
export function isAtMost(role: Role, limit: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(limit);
}

/** The weaker of two roles. */
export function weaker(one: Role, other: Role): Role {
  return isAtMost(one, other) ? one : other;
}

/** True if a value is the name of a role. */
export function isRole(value: unknown): value is Role {
  return ROLES.includes(value as Role);
}
