import { isMap } from '../../../api/text/describe-value.js';
import { type DataSourceDriver } from '../../contract/trace.js';
import { type ConsoleStore } from '../../store/console-store.js';
import { StoreDocument } from '../../store/store-document.js';

/** A data source that was added in the page, as the store keeps it. */
export interface StoredDataSource {
  readonly name: string;
  readonly driver: DataSourceDriver;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username?: string;
  /** Sealed. */
  readonly password?: string;
}

/** What the store keeps of data sources. */
export interface StoredDataSources {
  readonly sources: readonly StoredDataSource[];
  /** The name of the one whose runs pages show; `undefined`: the first. */
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
