/** Injection tokens of the console's providers that have no class. */

/** The `ElasticJobConsoleOptions`, checked. */
export const CONSOLE_OPTIONS = Symbol('ElasticJobConsoleOptions');
/** The `Clock`. */
export const CONSOLE_CLOCK = Symbol('ElasticJobConsoleClock');
/** The `JobLogger` of the console. */
export const CONSOLE_LOGGER = Symbol('ElasticJobConsoleLogger');
/** The `OidcProvider`s. */
export const OIDC_PROVIDERS = Symbol('ElasticJobConsoleOidcProviders');
