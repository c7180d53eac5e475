import { ConsoleProblem } from '../../answers/console-problem.js';
import { wording } from '../../../wording/wording.js';
import { type RegistryChange } from '../../contract/registries.js';
import { type DataSourceChange } from '../../contract/trace.js';
import { DRIVER_CLASSES, driverClassOf, jdbcUrlOf, targetOfJdbcUrl } from '../../services/compat/jdbc-url.js';
import { type DataSources } from '../../services/trace/data-sources.js';
import { badRequest, bodyOf } from '../requests.js';
import { isElasticJob2 } from './older-answers.js';
import { type OlderCall } from './older-calls.js';
import { olderController, route, unwrappedRoute } from './older-routes.js';

/** Registry centres in the form of the consoles of ElasticJob 2 and 3. Passwords are never shown. */
export const OlderRegistriesController = olderController('OlderRegistriesController', 'api/registry-center', [
  route('read', ['GET ', 'GET load'], 'All registry centres.', allRegistries),
  route(
    'read',
    'GET activated',
    'The registry centre that the caller has chosen. For ElasticJob 2: true if there is one.',
    async (call) => {
      const found = (await allRegistries(call)).find(({ activated }) => activated);
      return isElasticJob2(call.request) ? found !== undefined : (found ?? null);
    },
  ),
  route('manage', ['POST ', 'POST add'], 'Adds a registry centre.', async ({ services, caller }, body) => {
    const { name, zkAddressList, namespace, digest } =
      bodyOf<Record<'name' | 'zkAddressList' | 'namespace' | 'digest', string>>(body);
    const change = {
      ...{ name, type: 'ZOOKEEPER', serverLists: zkAddressList, namespace },
      ...(typeof digest === 'string' && digest !== '' && { digest }),
    };
    const action = { action: 'registry.add', registry: String(name), target: String(name), caller };
    await services.audit.record(action, () => services.registries.add(change as RegistryChange));
    return true;
  }),
  route(
    'read',
    'POST connect',
    'Chooses the registry centre of further requests of this caller.',
    ({ services, caller }, body) => services.choice.choose(caller, nameIn(body)).isConnected,
  ),
  route('manage', 'DELETE ', 'Removes a registry centre from the console.', async ({ services, caller }, body) => {
    const name = nameIn(body);
    const action = { action: 'registry.remove', registry: name, target: name, caller };
    await services.audit.record(action, () => services.registries.remove(name));
    services.choice.forget(name);
  }),
]);

async function allRegistries({ services: { registries, choice }, caller }: OlderCall) {
  const all = await registries.list();
  const chosen = choice.chosen(caller) ?? (all.length === 1 ? all[0]?.name : undefined);
  return all.map(({ name, serverLists, namespace }) => ({
    ...{ name, zkAddressList: serverLists, namespace, digest: null, activated: name === chosen },
  }));
}

/**
 * Data sources in the form of the consoles of ElasticJob 2 and 3. Passwords are never shown, and URLs are parsed, never
 * passed to a driver.
 */
export const OlderDataSourcesController = olderController('OlderDataSourcesController', 'api/data-source', [
  route('read', 'GET drivers', 'The names of the JDBC drivers that can be chosen.', () => DRIVER_CLASSES),
  route('read', ['GET ', 'GET load'], 'All data sources.', ({ services }) =>
    services.sources.list().map(({ name, driver, host, port, database, username = '', isActivated }) => ({
      ...{ name, driver: driverClassOf(driver), username, password: null, activated: isActivated },
      url: jdbcUrlOf({ driver, database, ...(host !== undefined && { host }), ...(port !== undefined && { port }) }),
    })),
  ),
  unwrappedRoute(
    'boolean',
    'read',
    'GET activated',
    'True if there is an activated data source. Never wrapped.',
    ({ services }) => services.sources.activated !== undefined,
  ),
  route('manage', ['POST ', 'POST add'], 'Adds a data source that can be reached.', async (call, body) => {
    const change = changeOf(body);
    await test(call, change);
    await recorded(call, 'data-source.add', change.name, (sources) => sources.add(change));
    return true;
  }),
  route('manage', 'POST connectTest', 'Tests if a data source can be reached.', async (call, body) => {
    await test(call, changeOf(body));
    return true;
  }),
  route('manage', 'POST connect', 'Makes pages show the runs of this data source.', async (call, body) => {
    const name = nameIn(body);
    await recorded(call, 'data-source.activate', name, (sources) => sources.activate(name));
    return true;
  }),
  route('manage', 'DELETE ', 'Removes a data source from the console.', (call, body) => {
    const name = nameIn(body);
    return recorded(call, 'data-source.remove', name, (sources) => sources.remove(name));
  }),
]);

function recorded<T>(
  { services: { audit, sources }, caller }: OlderCall,
  action: string,
  target: string,
  task: (sources: DataSources) => T | Promise<T>,
): Promise<T> {
  return audit.record({ action, target, caller }, () => task(sources));
}

async function test(call: OlderCall, change: DataSourceChange): Promise<void> {
  const target = `${change.host}:${change.port}/${change.database}`;
  const { isOk, detail = '' } = await recorded(call, 'data-source.test', target, (sources) => sources.test(change));
  if (!isOk) throw new ConsoleProblem(502, 'database-offline', `The database cannot be used. ${detail}`);
}

function nameIn(body: unknown): string {
  const { name } = bodyOf<{ name: string }>(body);
  if (typeof name === 'string' && name !== '') return name;
  throw badRequest('name', wording('not-empty'));
}

function changeOf(body: unknown): DataSourceChange {
  const { name = '', url, username, password } = bodyOf<Record<'name' | 'url' | 'username' | 'password', string>>(body);
  const secrets = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
  return { name, ...targetOfJdbcUrl(url), ...secrets };
}
