/**
 * The console as a module of a Nest application: `nestjs-elasticjob/console`. Its page is at `dist/console-ui` of the
 * package.
 */
export { ElasticJobConsoleModule, type ElasticJobConsoleAsyncOptions } from './console.module.js';
export {
  type ConsoleUserSettings,
  type ElasticJobConsoleOptions,
  type StateRegistrySettings,
} from './options/console-options.js';
export {
  type ConsoleServiceOptions,
  type DataSourceSettings,
  type GivenDataSource,
  type GivenRegistry,
  type RegistrySettings,
} from './options/console-service-options.js';
export { type CasdoorSettings, type OidcRoleRule, type OidcSettings } from './options/oidc-settings.js';
export { ConsoleStore } from './store/console-store.js';
export { type AuditRecord } from './contract/session.js';
