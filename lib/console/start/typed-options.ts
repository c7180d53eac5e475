/**
 * Converts numbers, truth values and lists that are texts in a file: those of `.properties`, and of placeholders such
 * as `${SESSION_HOURS:12}`. Any other text stays a text, which the check of the options then refuses.
 */
import { settingsOf } from '../../api/settings/setting.js';
import { isMap } from '../../api/text/describe-value.js';
import { SECURITY_SECTIONS } from '../../registry/zookeeper/zookeeper-options.js';
import { ConnectionSettings } from '../../settings/reg-center-settings.js';
import { CONNECTION_LISTS } from './connection-settings.js';
import { type Field, type Fields, FIELDS } from './option-fields.js';

type Tree = Readonly<Record<string, unknown>>;
type Kind = NonNullable<Field['kind']>;

/** The options of a file, with their texts converted to values. */
export function typedOptions(options: Tree): Tree {
  const typed = typedMap(options, FIELDS);
  const lists = Object.entries(CONNECTION_LISTS).map(([name, type]) => {
    const list = options[name];
    return [name, Array.isArray(list) ? list.map((each: unknown) => typedConnection(each, type)) : list];
  });
  const connections = { ...Object.fromEntries(lists), stateRegistry: stateRegistryOf(options) } as Tree;
  return Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, connections[name] ?? value]));
}

function stateRegistryOf({ stateRegistry }: Tree): unknown {
  return typedConnection(stateRegistry, ConnectionSettings);
}

function typedMap(map: Tree, fields: Fields): Tree {
  const entries = Object.entries(map).map(([name, value]) => {
    const { kind, map: inner } = (Object.hasOwn(fields, name) && fields[name]) || {};
    return [name, inner !== undefined && isMap(value) ? typedMap(value, inner) : typedValue(value, kind)];
  });
  return Object.fromEntries(entries) as Tree;
}

function typedConnection(connection: unknown, type: new () => object): unknown {
  if (!isMap(connection)) return connection;
  const declared = settingsOf(type);
  const entries = Object.entries(connection).map(([name, value]) => {
    const section = SECURITY_SECTIONS[name as keyof typeof SECURITY_SECTIONS];
    if (section !== undefined) return [name, typedConnection(value, section)];
    const kind = declared.get(name)?.kind;
    return [name, typedValue(value, kind === 'integer' ? 'number' : kind === 'boolean' ? kind : undefined)];
  });
  return Object.fromEntries(entries) as Tree;
}

function typedValue(value: unknown, kind: Kind | undefined): unknown {
  if (typeof value !== 'string' || kind === undefined) return value;
  const text = value.trim();
  switch (kind) {
    case 'number':
      return /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : value;
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : value;
    case 'list':
      return text === '' ? [] : text.split(',').map((each) => each.trim());
    default:
      return kind satisfies never;
  }
}
