import { Body, Inject, Req, RequestMethod } from '@nestjs/common';
import { wording } from '../../../wording/wording.js';
import { type RegistryChange } from '../../contract/registries.js';
import { type DataSourceChange } from '../../contract/trace.js';
import { type Caller, type ConsoleRequest } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { DRIVER_CLASSES, driverClassOf, jdbcUrlOf, placeOfJdbcUrl } from '../../services/compat/jdbc-url.js';
import { RegistryChoice } from '../../services/compat/registry-choice.js';
import { Registries } from '../../services/registries/registries.js';
import { DataSources } from '../../services/trace/data-sources.js';
import { badRequest, bodyOf } from '../requests.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { isBare } from './older-answers.js';
import { OlderController, OlderRoute, UnwrappedRoute } from './older-route.decorator.js';

const { GET, POST, DELETE } = RequestMethod;

/** Registry centres as the consoles of ElasticJob 2 and 3 have them. Passwords are never shown. */
@OlderController('api/registry-center')
export class OlderRegistriesController {
  constructor(
    @Inject(Registries) private readonly registries: Registries,
    @Inject(RegistryChoice) private readonly choice: RegistryChoice,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  /** All registry centres. */
  @OlderRoute(GET, ['', 'load'], 'read')
  list(@CurrentCaller() caller: Caller): Promise<unknown> {
    return this.#all(caller);
  }

  /** The one that the caller works on. ElasticJob 2: whether there is one. */
  @OlderRoute(GET, 'activated', 'read')
  async activated(@Req() request: ConsoleRequest, @CurrentCaller() caller: Caller): Promise<unknown> {
    const found = (await this.#all(caller)).find(({ activated }) => activated);
    return isBare(request) ? found !== undefined : (found ?? null);
  }

  /** Adds a registry centre. */
  @OlderRoute(POST, ['', 'add'], 'manage')
  async add(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<unknown> {
    const { name, zkAddressList, namespace, digest } = bodyOf<{
      name: string;
      zkAddressList: string;
      namespace: string;
      digest: string;
    }>(body);
    const change = {
      name,
      serverLists: zkAddressList,
      namespace,
      ...(typeof digest === 'string' && digest !== '' && { digest }),
    };
    await this.audit.record({ action: 'registry.add', registry: String(name), target: String(name), caller }, () =>
      this.registries.add(change as RegistryChange),
    );
    return true;
  }

  /** Chooses the registry centre that the caller works on, for this caller alone. */
  @OlderRoute(POST, 'connect', 'read')
  connect(@Body() body: unknown, @CurrentCaller() caller: Caller): unknown {
    return this.choice.choose(caller, nameIn(body)).isConnected;
  }

  /** Forgets a registry centre. */
  @OlderRoute(DELETE, '', 'manage')
  async remove(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<void> {
    const name = nameIn(body);
    await this.audit.record({ action: 'registry.remove', registry: name, target: name, caller }, () =>
      this.registries.remove(name),
    );
    this.choice.forget(name);
  }

  async #all(caller: Caller) {
    const all = await this.registries.list();
    const chosen = this.choice.chosen(caller) ?? (all.length === 1 ? all[0]?.name : undefined);
    return all.map(({ name, serverLists, namespace }) => ({
      ...{ name, zkAddressList: serverLists, namespace, digest: null, activated: name === chosen },
    }));
  }
}

/**
 * Data sources as the consoles of ElasticJob 2 and 3 have them. Passwords are never shown, and URLs are never used as
 * they are.
 */
@OlderController('api/data-source')
export class OlderDataSourcesController {
  constructor(
    @Inject(DataSources) private readonly sources: DataSources,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  /** The names of the drivers that can be used. */
  @OlderRoute(GET, 'drivers', 'read')
  drivers(): unknown {
    return DRIVER_CLASSES;
  }

  /** All data sources. */
  @OlderRoute(GET, ['', 'load'], 'read')
  list(): unknown {
    return this.sources.list().map(({ name, driver, host, port, database, username = '', isActivated }) => ({
      ...{ name, driver: driverClassOf(driver), username, password: null, activated: isActivated },
      url: jdbcUrlOf({ driver, database, ...(host !== undefined && { host }), ...(port !== undefined && { port }) }),
    }));
  }

  /** Whether there is one. Never wrapped. */
  @UnwrappedRoute(GET, 'activated', 'read')
  activated(): boolean {
    return this.sources.activated !== undefined;
  }

  /** Adds a data source that can be reached. */
  @OlderRoute(POST, ['', 'add'], 'manage')
  async add(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<unknown> {
    const change = changeOf(body);
    await this.#test(change, caller);
    await this.audit.record({ action: 'data-source.add', target: change.name, caller }, () => this.sources.add(change));
    return true;
  }

  /** Whether a data source can be reached. */
  @OlderRoute(POST, 'connectTest', 'manage')
  async connectTest(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<unknown> {
    await this.#test(changeOf(body), caller);
    return true;
  }

  /** Has pages show the runs of this data source. */
  @OlderRoute(POST, 'connect', 'manage')
  async connect(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<unknown> {
    const name = nameIn(body);
    await this.audit.record({ action: 'data-source.activate', target: name, caller }, () =>
      this.sources.activate(name),
    );
    return true;
  }

  /** Forgets a data source. */
  @OlderRoute(DELETE, '', 'manage')
  async remove(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<void> {
    const name = nameIn(body);
    await this.audit.record({ action: 'data-source.remove', target: name, caller }, () => this.sources.remove(name));
  }

  async #test(change: DataSourceChange, caller: Caller): Promise<void> {
    const target = `${change.host}:${change.port}/${change.database}`;
    const { isOk, detail = '' } = await this.audit.record({ action: 'data-source.test', target, caller }, () =>
      this.sources.test(change),
    );
    if (!isOk) throw new ConsoleProblem(502, 'database-offline', `The database cannot be used. ${detail}`);
  }
}

function nameIn(body: unknown): string {
  const { name } = bodyOf<{ name: string }>(body);
  if (typeof name === 'string' && name !== '') return name;
  throw badRequest('name', wording('not-empty'));
}

function changeOf(body: unknown): DataSourceChange {
  const {
    name = '',
    url,
    username,
    password,
  } = bodyOf<{ name: string; url: string; username: string; password: string }>(body);
  const secrets = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
  return { name, ...placeOfJdbcUrl(url), ...secrets };
}
