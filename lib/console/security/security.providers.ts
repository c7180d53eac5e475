/** Makes what stands between a request and the controllers. */
import { type FactoryProvider, type Provider } from '@nestjs/common';
import { type JobLogger } from '../../api/text/logger.js';
import { type Clock } from '../../time/clock.js';
import { createRegistryCenter } from '../../settings/create-registry-center.js';
import { type ElasticJobConsoleOptions, type StateRegistrySettings } from '../options/console-options.js';
import { CONSOLE_CLOCK, CONSOLE_LOGGER, CONSOLE_OPTIONS, OIDC_PROVIDERS } from '../options/console-tokens.js';
import { PATIENCE } from '../services/registries/registry-connections.js';
import { ConsoleStore } from '../store/console-store.js';
import { FileConsoleStore } from '../store/file-store.js';
import { MemoryConsoleStore } from '../store/memory-store.js';
import { RegistryConsoleStore } from '../store/registry-store.js';
import { type DocumentFormat, StoreDocument } from '../store/store-document.js';
import { AccountAccess } from './account-access.js';
import { ApiTokens, parseShortTokens, parseTokens, type ShortTokens, type StoredToken } from './api-tokens.js';
import { AuditFile, AuditMemory } from './audit-file.js';
import { AuditLog } from './audit-log.js';
import { Authentication } from './authentication.js';
import { ConsoleAudit } from './console-audit.js';
import { FirstSetup, parseSetupSeed, type SetupSeed } from './first-setup.js';
import { KeyRing } from './key-ring.js';
import { KnownDevices } from './known-devices.js';
import { LoginAttempts } from './login-attempts.js';
import { Logins } from './logins.js';
import { casdoorProvider } from './oidc/oidc-settings.js';
import { OidcProvider } from './oidc/oidc-provider.js';
import { PasswordChecks } from './password-checks.js';
import { PasswordLogin } from './password-login.js';
import { ConsoleSecrets } from './secrets.js';
import { parseSessions, Sessions, type StoredSessions } from './sessions.js';
import { settingsUsers } from './settings-users.js';
import { TrustedProxies } from './trusted-proxies.js';
import { parseUsers, type StoredUser, Users } from './users.js';

const MINUTE_MS = 60_000;
const SHORT_TOKENS: DocumentFormat<ShortTokens> = { initial: {}, parse: parseShortTokens };
const SETUP: DocumentFormat<SetupSeed | null> = { initial: null, parse: parseSetupSeed };

function provide<T>(
  token: FactoryProvider['provide'],
  inject: NonNullable<FactoryProvider['inject']>,
  useFactory: (...dependencies: never[]) => T | Promise<T>,
): Provider {
  return { provide: token, inject, useFactory: (...given: never[]) => closingStore(given, useFactory) };
}

/** Closes the store if a provider fails: Nest does not do that for an application that fails to start, and the open connection would keep the process alive. */
async function closingStore<T>(dependencies: never[], make: (...dependencies: never[]) => T | Promise<T>): Promise<T> {
  try {
    return await make(...dependencies);
  } catch (error) {
    for (const each of dependencies as unknown[])
      if (each instanceof RegistryConsoleStore) await each.onApplicationShutdown();
    throw error;
  }
}

/** The providers of the console's security. Others inject them by their classes. */
export const securityProviders: readonly Provider[] = [
  provide(ConsoleStore, [CONSOLE_OPTIONS, CONSOLE_LOGGER, CONSOLE_CLOCK], openStore),
  provide(ConsoleAudit, [CONSOLE_OPTIONS, CONSOLE_LOGGER, CONSOLE_CLOCK], openAudit),
  provide(
    ConsoleSecrets,
    [CONSOLE_OPTIONS],
    (options: ElasticJobConsoleOptions) => new ConsoleSecrets(options.secretKey),
  ),
  provide(KeyRing, [CONSOLE_OPTIONS], (options: ElasticJobConsoleOptions) => new KeyRing(options.sessionKeys ?? [])),
  provide(
    TrustedProxies,
    [CONSOLE_OPTIONS, CONSOLE_LOGGER],
    ({ trustedProxies = [], publicUrl }: ElasticJobConsoleOptions, logger: JobLogger) =>
      new TrustedProxies(trustedProxies, publicUrl, logger),
  ),
  provide(LoginAttempts, [CONSOLE_CLOCK], (clock: Clock) => new LoginAttempts(clock)),
  provide(Users, [CONSOLE_OPTIONS, ConsoleStore, CONSOLE_LOGGER, CONSOLE_CLOCK], openUsers),
  provide(Sessions, [CONSOLE_OPTIONS, ConsoleStore, KeyRing, CONSOLE_CLOCK], openSessions),
  provide(ApiTokens, [ConsoleStore, CONSOLE_CLOCK], openTokens),
  provide(
    AccountAccess,
    [Sessions, ApiTokens],
    (sessions: Sessions, tokens: ApiTokens) => new AccountAccess(sessions, tokens),
  ),
  provide(OIDC_PROVIDERS, [CONSOLE_OPTIONS, CONSOLE_LOGGER], oidcProviders),
  provide(FirstSetup, [Users, OIDC_PROVIDERS, ConsoleStore, KeyRing, CONSOLE_LOGGER, CONSOLE_CLOCK], firstSetup),
  provide(KnownDevices, [KeyRing], (keys: KeyRing) => new KnownDevices(keys)),
  provide(
    Logins,
    [Sessions, KnownDevices],
    (sessions: Sessions, devices: KnownDevices) => new Logins(sessions, devices),
  ),
  provide(
    PasswordLogin,
    [Users, LoginAttempts, KnownDevices, ConsoleAudit, CONSOLE_LOGGER, CONSOLE_CLOCK],
    (...[users, attempts, devices, audit, logger, clock]: PasswordLoginDependencies) =>
      new PasswordLogin({ users, attempts, devices, audit, logger, clock, checks: new PasswordChecks(clock) }),
  ),
  provide(
    Authentication,
    [Sessions, ApiTokens, Users, PasswordLogin, CONSOLE_LOGGER],
    (...parts: [Sessions, ApiTokens, Users, PasswordLogin, JobLogger]) => new Authentication(...parts),
  ),
];

type PasswordLoginDependencies = [Users, LoginAttempts, KnownDevices, ConsoleAudit, JobLogger, Clock];

async function openStore(
  { store, stateFolder, stateRegistry }: ElasticJobConsoleOptions,
  logger: JobLogger,
  clock: Clock,
): Promise<ConsoleStore> {
  if (store !== undefined) return store;
  if (stateRegistry !== undefined) return openSharedStore(stateRegistry, logger, clock);
  if (stateFolder === undefined) return new MemoryConsoleStore();
  const files = new FileConsoleStore(stateFolder);
  await files.open();
  return files;
}

function openSharedStore(
  settings: StateRegistrySettings,
  logger: JobLogger,
  clock: Clock,
): Promise<RegistryConsoleStore> {
  if ('registryCenter' in settings)
    return RegistryConsoleStore.open({ center: settings.registryCenter, isOurs: false, clock, logger });
  const center = createRegistryCenter({ ...PATIENCE, ...settings }, logger);
  return RegistryConsoleStore.open({ center, isOurs: true, clock, logger });
}

async function openAudit(
  { onAudit, stateFolder }: ElasticJobConsoleOptions,
  logger: JobLogger,
  clock: Clock,
): Promise<ConsoleAudit> {
  const audit = new AuditLog({ storage: await auditStorage(stateFolder), logger, clock });
  if (onAudit !== undefined) audit.onRecord(onAudit);
  return audit;
}

async function auditStorage(stateFolder: string | undefined): Promise<AuditFile | AuditMemory> {
  if (stateFolder === undefined) return new AuditMemory();
  const files = new FileConsoleStore(stateFolder);
  await files.open();
  return AuditFile.open(files.folder);
}

async function openUsers(
  { users = [] }: ElasticJobConsoleOptions,
  store: ConsoleStore,
  logger: JobLogger,
  clock: Clock,
): Promise<Users> {
  const initial: readonly StoredUser[] = [];
  const document = await StoreDocument.open(store, 'users', { initial, parse: parseUsers });
  return new Users(await settingsUsers(users, logger), document, clock);
}

async function openSessions(
  { sessionIdleMinutes = 30, sessionHours = 12, sessionKeys = [] }: ElasticJobConsoleOptions,
  store: ConsoleStore,
  keys: KeyRing,
  clock: Clock,
): Promise<Sessions> {
  const initial: StoredSessions = {};
  // With a random key, no cookie of an earlier process is accepted.
  const isKept = store.isPersistent && sessionKeys.length > 0;
  const document = isKept
    ? await StoreDocument.open(store, 'sessions', { initial, parse: parseSessions })
    : StoreDocument.unsaved(initial);
  const limits = { idleMs: sessionIdleMinutes * MINUTE_MS, longestMs: sessionHours * 60 * MINUTE_MS };
  return new Sessions(keys, clock, { limits, document });
}

async function openTokens(store: ConsoleStore, clock: Clock): Promise<ApiTokens> {
  const initial: readonly StoredToken[] = [];
  const document = await StoreDocument.open(store, 'tokens', { initial, parse: parseTokens });
  return new ApiTokens(document, await openIfShared(store, 'short-tokens', SHORT_TOKENS), clock);
}

function oidcProviders(
  { oidc = [], casdoor, publicUrl = '' }: ElasticJobConsoleOptions,
  logger: JobLogger,
): readonly OidcProvider[] {
  const all = [...oidc, ...(casdoor === undefined ? [] : [casdoorProvider(casdoor)])];
  const base = publicUrl.replace(/\/$/, '');
  return all.map(
    (settings) => new OidcProvider(settings, `${base}/api/v1/auth/oidc/${settings.name}/callback`, logger),
  );
}

async function firstSetup(
  users: Users,
  providers: readonly OidcProvider[],
  ...[store, keys, logger, clock]: [ConsoleStore, KeyRing, JobLogger, Clock]
): Promise<FirstSetup> {
  const isNeeded = (): boolean => !users.hasAdmin && !providers.some(({ hasAdmins }) => hasAdmins);
  const document = await openIfShared(store, 'setup', SETUP);
  return new FirstSetup({ isNeeded, logger, clock, keys, document });
}

/** What matters beyond this process only if other replicas must know it. */
async function openIfShared<T>(
  store: ConsoleStore,
  name: string,
  format: DocumentFormat<T>,
): Promise<StoreDocument<T>> {
  return store instanceof RegistryConsoleStore
    ? StoreDocument.open(store, name, format)
    : StoreDocument.unsaved(format.initial);
}
