import { isMap } from '../../../api/text/describe-value.js';
import { type ConsoleStore } from '../../store/console-store.js';
import { StoreDocument } from '../../store/store-document.js';

/** A registry centre that was added in the page, as the store keeps it. */
export interface StoredRegistry {
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  /** The digest, sealed. */
  readonly digest?: string;
  /** Whether it is connected when the console starts. */
  readonly isConnected: boolean;
}

const DOCUMENT = 'registries';

/** Opens the document of the registry centres that were added in the page. */
export function openStoredRegistries(store: ConsoleStore): Promise<StoreDocument<readonly StoredRegistry[]>> {
  return StoreDocument.open<readonly StoredRegistry[]>(store, DOCUMENT, { initial: [], parse });
}

function parse(stored: unknown): readonly StoredRegistry[] {
  if (!Array.isArray(stored) || !stored.every(isRegistry))
    throw new Error(
      `The document '${DOCUMENT}' must be a list of registry centres with name, serverLists and namespace.`,
    );
  return stored;
}

function isRegistry(value: unknown): value is StoredRegistry {
  return isMap(value) && ['name', 'serverLists', 'namespace'].every((key) => typeof value[key] === 'string');
}
