import { isMap } from '../../../api/text/describe-value.js';
import { type DataSourceChange, type DataSourceDriver } from '../../contract/trace.js';
import { type ConsoleStore } from '../../store/console-store.js';
import { StoreDocument } from '../../store/store-document.js';
import { changedTls, type Cipher, openedTls, type StoredTls } from '../connections/stored-tls.js';
import { type DataSourceTarget } from './open-data-source.js';

/** A data source that was added in the page, in the form of the store. */
export interface StoredDataSource {
  readonly name: string;
  readonly driver: DataSourceDriver;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username?: string;
  /** Sealed. */
  readonly password?: string;
  readonly tls?: StoredTls;
}

/** The document of the data sources in the store. */
export interface StoredDataSources {
  readonly sources: readonly StoredDataSource[];
  /** The name of the data source whose runs pages show; `undefined` for the first one. */
  readonly activated?: string;
}

const DOCUMENT = 'data-sources';

/** Opens the document of the data sources. */
export function openStoredDataSources(store: ConsoleStore): Promise<StoreDocument<StoredDataSources>> {
  return StoreDocument.open<StoredDataSources>(store, DOCUMENT, { initial: { sources: [] }, parse });
}

function parse(stored: unknown): StoredDataSources {
  if (isMap(stored) && Array.isArray(stored['sources']) && stored['sources'].every(isSource))
    return stored as unknown as StoredDataSources;
  throw new Error(`The document '${DOCUMENT}' must have a list of sources with name, driver, host and database.`);
}

function isSource(value: unknown): boolean {
  return isMap(value) && ['name', 'driver', 'host', 'database'].every((key) => typeof value[key] === 'string');
}

/** The data source to store after a change; secrets that the change omits are kept. */
export function changedDataSource(
  { name, driver, host, port, database, username, ...change }: DataSourceChange,
  before: StoredDataSource | undefined,
  seal: Cipher,
): StoredDataSource {
  const password =
    change.password === undefined ? before?.password : change.password && seal('password', change.password);
  const tls = changedTls(change.tls, before?.tls, seal);
  return {
    ...{ name, driver, host, port, database },
    ...(username !== undefined && { username }),
    ...(password && { password }),
    ...(tls !== undefined && { tls }),
  };
}

/** The connection of a stored data source, with its secrets. */
export function openedDataSource(
  { password, tls, ...target }: StoredDataSource,
  open: Cipher,
): DataSourceTarget & Pick<StoredDataSource, 'host' | 'port'> {
  return { ...target, password: password && open('password', password), tls: openedTls(tls, open) };
}
