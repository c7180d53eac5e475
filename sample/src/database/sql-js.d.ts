/** The part of sql.js that the sample uses; the package has no types of its own. */
declare module 'sql.js' {
  export interface Database {
    close(): void;
  }
  export default function initSqlJs(): Promise<{ readonly Database: new () => Database }>;
}
