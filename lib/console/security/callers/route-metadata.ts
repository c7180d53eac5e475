import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** The metadata key of `@AcceptsBasic`. */
export const BASIC_METADATA = 'elasticjob:basic';
/** The metadata key of `@SetsSession`. */
export const SETS_SESSION_METADATA = 'elasticjob:sets-session';

/** Marks routes at which callers may log in by HTTP Basic, as scripts for ElasticJob 2 do. */
export function AcceptsBasic(): CustomDecorator {
  return SetMetadata(BASIC_METADATA, true);
}

/** Marks a route that logs the browser in: like a request with a cookie, it must come from the console's own page. */
export function SetsSession(): CustomDecorator {
  return SetMetadata(SETS_SESSION_METADATA, true);
}
