/** Where the library says what happens. Nest's `Logger` is one. */
export interface JobLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
}
