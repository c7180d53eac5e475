import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** Where `@AcceptsBasic` says that a class or method does. */
export const BASIC_METADATA = 'elasticjob:basic';
/** Where `@SetsSession` says that a method does. */
export const SETS_SESSION_METADATA = 'elasticjob:sets-session';

/** Says that callers may log in by HTTP Basic here, as scripts for ElasticJob 2 do. */
export function AcceptsBasic(): CustomDecorator {
  return SetMetadata(BASIC_METADATA, true);
}

/** Says that a route logs the browser in: like a request with a cookie, it must come from the console's own page. */
export function SetsSession(): CustomDecorator {
  return SetMetadata(SETS_SESSION_METADATA, true);
}
