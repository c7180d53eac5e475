/**
 * Meanings of registry failures for the code that meets them. Errors are recognised by their `code`, which survives two
 * copies of this package in one process.
 */
import {
  type ElasticJobErrorCode,
  type RegistryConflictError,
  type RegistryOutcomeUnknownError,
  type RegistryUnavailableError,
  type SessionLostError,
} from './errors.js';

/**
 * True if a commit was refused because the state has changed: read it again, then decide again. Nothing was changed.
 */
export function isLostRace(error: unknown): error is RegistryConflictError {
  return hasCode(error, 'REGISTRY_CONFLICT');
}

/** True if the answer to a write was lost: it may have been carried out or not. */
export function isOutcomeUnknown(error: unknown): error is RegistryOutcomeUnknownError {
  return hasCode(error, 'REGISTRY_OUTCOME_UNKNOWN');
}

/**
 * True if the registry centre did not answer. A write may have been carried out if `isOutcomeUnknown`, else it was not.
 */
export function isOutage(error: unknown): error is RegistryUnavailableError | RegistryOutcomeUnknownError {
  return hasCode(error, 'REGISTRY_UNAVAILABLE', 'REGISTRY_OUTCOME_UNKNOWN');
}

/** True if the same intention, decided again from the present state, may succeed: a lost race or an outage. */
export function isTransient(
  error: unknown,
): error is RegistryConflictError | RegistryUnavailableError | RegistryOutcomeUnknownError {
  return isLostRace(error) || isOutage(error);
}

/** True if the connection or the session broke: an outage, or the end of the session. */
export function isDisconnection(
  error: unknown,
): error is RegistryUnavailableError | RegistryOutcomeUnknownError | SessionLostError {
  return isOutage(error) || hasCode(error, 'SESSION_LOST');
}

function hasCode(error: unknown, ...codes: readonly ElasticJobErrorCode[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}
