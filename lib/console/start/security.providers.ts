/** The providers of the console's security. */
import { type FactoryProvider, type Provider } from '@nestjs/common';
import { type JobLogger } from '../../api/text/logger.js';
import { type Clock } from '../../time/clock.js';
import { createRegistryCenter } from '../../settings/create-registry-center.js';
import { registryType } from '../../settings/registry-kind.js';
import { type OidcAccount } from '../contract/session.js';
import {
  type AuditSettings,
  type ElasticJobConsoleOptions,
  type StateRegistrySettings,
} from '../options/console-options.js';
import { CONSOLE_CLOCK, CONSOLE_LOGGER, CONSOLE_OPTIONS, OIDC_PROVIDERS } from '../options/console-tokens.js';
import { consoleSession } from '../services/connections/checked-centers.js';
import { ConsoleStore } from '../store/console-store.js';
import { FileConsoleStore } from '../store/file-store.js';
import { MemoryConsoleStore } from '../store/memory-store.js';
import { RegistryConsoleStore } from '../store/registry-store.js';
import { type DocumentFormat, StoreDocument } from '../store/store-document.js';
import { AccountAccess } from '../security/users/account-access.js';
import {
  ApiTokens,
  parseShortTokens,
  parseTokens,
  type ShortTokens,
  type StoredToken,
} from '../security/users/api-tokens.js';
import { AuditFile, AuditMemory } from '../security/audit/audit-file.js';
import { auditKeyOrNew } from '../security/audit/audit-folder.js';
import { AuditLog, type AuditLogOptions } from '../security/audit/audit-log.js';
import { Authentication } from '../security/authentication.js';
import { ConsoleAudit } from '../security/audit/console-audit.js';
import { FirstSetup, parseSetupSeed, type SetupSeed } from '../security/sessions/first-setup.js';
import { KeyRing } from '../security/sessions/key-ring.js';
import { KnownDevices } from '../security/sessions/known-devices.js';
import { LoginAttempts } from '../security/passwords/login-attempts.js';
import { Logins } from '../security/sessions/logins.js';
import { OidcAccounts, parseOidcAccounts } from '../security/oidc/oidc-accounts.js';
import { casdoorProvider } from '../options/oidc-settings.js';
import { OidcProvider } from '../security/oidc/oidc-provider.js';
import { PasswordChecks } from '../security/passwords/password-checks.js';
import { PasswordLogin } from '../security/password-login.js';
import { ConsoleSecrets } from '../store/console-secrets.js';
import { parseSessions, Sessions, type StoredSessions } from '../security/sessions/sessions.js';
import {
  followSettings,
  parseSettingsUserRecords,
  type SettingsUser,
  type SettingsUserRecords,
} from '../security/users/settings-user-records.js';
import { settingsUsers } from '../security/users/settings-users.js';
import { TrustedProxies } from '../security/callers/trusted-proxies.js';
import { parseUsers, type StoredUser, Users } from '../security/users/users.js';

/** The users of the settings, and their stored records. */
const SETTINGS_USERS = Symbol('ElasticJobConsoleSettingsUsers');
const MINUTE_MS = 60_000;
const SHORT_TOKENS: DocumentFormat<ShortTokens> = { initial: {}, parse: parseShortTokens };
const SETUP: DocumentFormat<SetupSeed | null> = { initial: null, parse: parseSetupSeed };

function provide<T>(
  token: FactoryProvider['provide'],
  inject: NonNullable<FactoryProvider['inject']>,
  useFactory: (...dependencies: never[]) => T | Promise<T>,
): Provider {
  return { provide: token, inject, useFactory: (...given: never[]) => closingStoreOnFailure(given, useFactory) };
}

/**
 * Closes the store if a provider fails: Nest does not close it when an application fails to start, and the open
 * connection would keep the process alive.
 */
async function closingStoreOnFailure<T>(
  dependencies: never[],
  make: (...dependencies: never[]) => T | Promise<T>,
): Promise<T> {
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
  provide(SETTINGS_USERS, [CONSOLE_OPTIONS, ConsoleStore, AccountAccess, CONSOLE_LOGGER], openSettingsUsers),
  provide(Users, [SETTINGS_USERS, ConsoleStore, CONSOLE_CLOCK], openUsers),
  provide(Sessions, [CONSOLE_OPTIONS, ConsoleStore, KeyRing, CONSOLE_CLOCK], openSessions),
  provide(ApiTokens, [ConsoleStore, CONSOLE_CLOCK], openTokens),
  provide(
    AccountAccess,
    [Sessions, ApiTokens],
    (sessions: Sessions, tokens: ApiTokens) => new AccountAccess(sessions, tokens),
  ),
  provide(OIDC_PROVIDERS, [CONSOLE_OPTIONS, CONSOLE_LOGGER], oidcProviders),
  provide(OidcAccounts, [ConsoleStore, OIDC_PROVIDERS, CONSOLE_CLOCK], openAccounts),
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
    [Sessions, ApiTokens, Users, OidcAccounts, PasswordLogin, CONSOLE_LOGGER],
    (...parts: [Sessions, ApiTokens, Users, OidcAccounts, PasswordLogin, JobLogger]) => new Authentication(...parts),
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
  const center = createRegistryCenter({ ...consoleSession(registryType(settings)), ...settings }, logger);
  return RegistryConsoleStore.open({ center, isOurs: true, clock, logger });
}

const MEGABYTE = 1024 * 1024;
const MOST_REFUSALS_IN_MEMORY = 1_000;

async function openAudit(
  { onAudit, stateFolder, audit: kept = {} }: ElasticJobConsoleOptions,
  logger: JobLogger,
  clock: Clock,
): Promise<ConsoleAudit> {
  const storages =
    stateFolder === undefined
      ? { storage: new AuditMemory(), refusals: new AuditMemory(MOST_REFUSALS_IN_MEMORY) }
      : await auditFiles(stateFolder, kept);
  const audit = new AuditLog({ ...storages, logger, clock });
  if (onAudit !== undefined) audit.onRecord(onAudit);
  return audit;
}

/** Opens the files of the audit; refusals get a fifth of the number of files. */
async function auditFiles(
  stateFolder: string,
  { key: given, files = 10, megabytes = 10, days }: AuditSettings,
): Promise<Pick<AuditLogOptions, 'storage' | 'refusals'>> {
  const store = new FileConsoleStore(stateFolder);
  await store.open();
  const { folder } = store;
  const key = await auditKeyOrNew(folder, given);
  const bytes = megabytes * MEGABYTE;
  const ofRefusals = Math.ceil(files / 5);
  return {
    storage: await AuditFile.open({ folder, key, name: 'audit', retention: { files, bytes, days } }),
    refusals: await AuditFile.open({ folder, key, name: 'refusals', retention: { files: ofRefusals, bytes, days } }),
  };
}

interface KnownSettingsUsers {
  readonly users: readonly SettingsUser[];
  readonly records: StoreDocument<SettingsUserRecords>;
}

async function openSettingsUsers(
  { users: given = [] }: ElasticJobConsoleOptions,
  store: ConsoleStore,
  ...[access, logger]: [AccountAccess, JobLogger]
): Promise<KnownSettingsUsers> {
  const initial: SettingsUserRecords = null;
  const format: DocumentFormat<SettingsUserRecords> = { initial, parse: parseSettingsUserRecords };
  const records = await StoreDocument.open(store, 'settings-users', format);
  const users = await settingsUsers(given, logger, records.value);
  await followSettings(users, records, { access, logger });
  return { users, records };
}

async function openUsers({ users, records }: KnownSettingsUsers, store: ConsoleStore, clock: Clock): Promise<Users> {
  const initial: readonly StoredUser[] = [];
  const document = await StoreDocument.open(store, 'users', { initial, parse: parseUsers });
  return new Users(users, document, clock, records);
}

async function openSessions(
  { sessionIdleMinutes = 30, sessionHours = 12, sessionKeys = [] }: ElasticJobConsoleOptions,
  store: ConsoleStore,
  keys: KeyRing,
  clock: Clock,
): Promise<Sessions> {
  const initial: StoredSessions = {};
  // Sessions are stored only if the keys are set: with a random key, no cookie of an earlier process is valid.
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

async function openAccounts(
  store: ConsoleStore,
  providers: readonly OidcProvider[],
  clock: Clock,
): Promise<OidcAccounts> {
  const initial: readonly OidcAccount[] = [];
  const document = await StoreDocument.open(store, 'oidc-users', { initial, parse: parseOidcAccounts });
  return new OidcAccounts(
    document,
    providers.map(({ name }) => name),
    clock,
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

/** Opens a document that is stored only if other replicas share it. */
async function openIfShared<T>(
  store: ConsoleStore,
  name: string,
  format: DocumentFormat<T>,
): Promise<StoreDocument<T>> {
  return store instanceof RegistryConsoleStore
    ? StoreDocument.open(store, name, format)
    : StoreDocument.unsaved(format.initial);
}
