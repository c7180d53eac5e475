import { type Permission, type Role } from '../../contract/common.js';

/** The roles, the weakest first. */
export const ROLES = ['guest', 'operator', 'admin'] as const satisfies readonly Role[];

const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  guest: ['read'],
  operator: ['read', 'operate'],
  admin: ['read', 'operate', 'write', 'manage', 'admin'],
};

/** What a role may do. */
export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS[role];
}

/** Whether `role` may do no more than `limit`. */
export function isAtMost(role: Role, limit: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(limit);
}

/** The weaker of two roles. */
export function weaker(one: Role, other: Role): Role {
  return isAtMost(one, other) ? one : other;
}

/** Whether a value is the name of a role. */
export function isRole(value: unknown): value is Role {
  return ROLES.includes(value as Role);
}
