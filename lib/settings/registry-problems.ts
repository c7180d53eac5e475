import { legible } from '../api/describe-value.js';

/** What is wrong with the addresses of ZooKeeper servers, which may end with a path that roots everything there, said as what they must be; `undefined`: nothing. */
export function serverListsProblem(text: string): string | undefined {
  if (hasPlaceholder(text)) return `must be servers like 'host1:2181,host2:2181'${NO_PLACEHOLDERS}`;
  const slash = text.indexOf('/');
  const list = slash < 0 ? text : text.slice(0, slash);
  const servers = list.split(',').map((server) => server.trim());
  const wrong = servers.find((server) => !isServer(server));
  if (wrong !== undefined) return `must be servers like 'host1:2181,host2:2181'${complaint(wrong, list)}`;
  const path =
    slash < 0
      ? ''
      : text
          .slice(slash)
          .trim()
          .replace(/^\/|\/$/g, '');
  const isUsable = slash < 0 || path === '' || namespaceProblem(path) === undefined;
  return isUsable ? undefined : "must end with a path such as '/team', without empty or odd names in it, if with any";
}

function complaint(server: string, list: string): string {
  if (server === '') return list.includes(',') ? ', without commas that separate nothing' : '';
  const hint = (server.match(/:/g) ?? []).length > 1 ? "; an IPv6 address stands in brackets: '[::1]:2181'" : '';
  return `, which '${legible(server)}' is not${hint}`;
}

function isServer(server: string): boolean {
  const parts = /^(?:\[[0-9a-fA-F:.%]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/.exec(server);
  if (parts === null) return false;
  const port = Number(parts[1] ?? 2181);
  return port >= 1 && port <= 65_535;
}

/** What is wrong with a namespace, said as what it must be; `undefined`: nothing. It may be a path such as `team/orders`. */
export function namespaceProblem(text: string): string | undefined {
  if (hasPlaceholder(text)) return `must be a name like 'orders'${NO_PLACEHOLDERS}`;
  const isName = (part: string): boolean => part !== '' && part === part.trim() && part !== '.' && part !== '..';
  // ZooKeeper refuses these characters in paths.
  // eslint-disable-next-line no-control-regex
  const refused = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/.test(text);
  const fits = !refused && text.split('/').every(isName);
  return fits ? undefined : "must be a name like 'orders', or names joined by '/'";
}

/** What is wrong with credentials, said as what they must be; `undefined`: nothing. */
export function digestProblem(text: string): string | undefined {
  if (hasPlaceholder(text)) return `must be of the form user:password${NO_PLACEHOLDERS}`;
  return /^[^:]+:.+$/s.test(text) ? undefined : 'must be of the form user:password';
}

const NO_PLACEHOLDERS = ", without Spring's placeholders, which mean nothing here";

/** A file that a Java application shares may have them; taken as they are, they would name the wrong place. */
function hasPlaceholder(text: string): boolean {
  return /\$\{[^}]*\}/.test(text);
}
