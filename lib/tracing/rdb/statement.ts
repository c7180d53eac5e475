import { type Bind, type Dialect, type Value } from './dialect.js';

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Makes a statement: `build` gets the function that adds a parameter. */
export function statement(dialect: Dialect, build: (bind: Bind) => string): Statement {
  const parameters: unknown[] = [];
  const bind: Bind = (value) => {
    parameters.push(parameterOf(dialect, value));
    const parameter = dialect.parameter(parameters.length);
    return value instanceof Date ? dialect.toTimestamp(parameter) : parameter;
  };
  return { sql: build(bind), parameters };
}

function parameterOf(dialect: Dialect, value: Value): unknown {
  if (value instanceof Date) return dialect.moment(value);
  return typeof value === 'boolean' ? dialect.truth(value) : value;
}
