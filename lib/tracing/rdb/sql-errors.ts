/**
 * Finds the kind of an error of a database driver. Drivers pass on the code of the server: a five-digit SQLSTATE
 * (PostgreSQL, MySQL), or the vendor's number.
 */

/**
 * Data too long, out of range, of an unfit form or character set, or missing: the numbers of vendors without a fitting
 * SQLSTATE.
 */
const REFUSALS: Readonly<Record<'errno' | 'number' | 'errorNum', readonly number[]>> = {
  // MySQL and MariaDB: both call text of a foreign character set a general error.
  errno: [1048, 1264, 1265, 1292, 1300, 1364, 1366, 1406],
  // SQL Server.
  number: [220, 241, 242, 515, 2628, 8115, 8152],
  // Oracle.
  errorNum: [1400, 1438, 1461, 12899],
};

/** True if the database works, and refuses the values of a row: the same statement will never succeed. */
export function isDataError(error: unknown): boolean {
  const driverError = driverErrorOf(error);
  const state = driverError['sqlState'] ?? driverError['code'];
  // Class 22 is data, 23 is constraints. SQLite gives only a message.
  if (typeof state === 'string' && /^2[23][0-9A-Z]{3}$/.test(state)) return true;
  if (typeof state === 'string' && /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(state)) return true;
  if (/constraint failed|string or blob too big/.test(String(driverError['message']))) return true;
  return Object.entries(REFUSALS).some(([key, numbers]) => numbers.includes(Number(driverError[key])));
}

/** TypeORM wraps the error of the driver. */
function driverErrorOf(error: unknown): Readonly<Record<string, unknown>> {
  const outer = (error ?? {}) as Readonly<Record<string, unknown>>;
  return (outer['driverError'] ?? outer) as Readonly<Record<string, unknown>>;
}
