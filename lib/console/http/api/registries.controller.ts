import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import {
  type ConnectionTest,
  type RegistryChange,
  type RegistryInfo,
  type RegistryStatus,
} from '../../contract/registries.js';
import { type Caller } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { Registries } from '../../services/registries/registries.js';
import { typeOfChange, withoutSecretsInAddress } from '../../services/connections/registry-address.js';
import { tlsInWords } from '../../services/connections/stored-tls.js';
import { bodyOf } from '../requests.js';

/** Registry centres. */
@Controller('api/v1/registries')
export class RegistriesController {
  constructor(
    @Inject(Registries) private readonly registries: Registries,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  /** All registry centres that the console knows. */
  @Get()
  @Permit('read')
  list(): Promise<readonly RegistryInfo[]> {
    return this.registries.list();
  }

  /** Adds a registry centre, and connects to it. */
  @Post()
  @Permit('manage')
  add(@Body() body: RegistryChange, @CurrentCaller() caller: Caller): Promise<RegistryInfo> {
    const change = changeOf(body);
    return this.audit.record(
      { action: 'registry.add', registry: change.name, target: change.name, caller },
      (notes) => {
        notes.note('type', undefined, typeOfChange(change));
        notes.note('serverLists', undefined, change.serverLists);
        notes.note('namespace', undefined, change.namespace);
        if (change.schema !== undefined) notes.note('schema', undefined, change.schema);
        if (change.credentials) notes.note('user', undefined, change.credentials.username);
        notes.note('tls', undefined, tlsInWords(change.tls));
        return this.registries.add(change);
      },
    );
  }

  /** Tests if a registry centre can be used as described. */
  @Post('test')
  @HttpCode(200)
  @Permit('manage')
  test(@Body() body: RegistryChange, @CurrentCaller() caller: Caller): Promise<ConnectionTest> {
    const change = changeOf(body);
    const target = `${change.serverLists}/${change.namespace}`;
    return this.audit.record({ action: 'registry.test', target, caller }, () => this.registries.test(change));
  }

  /** One registry centre. */
  @Get(':registry')
  @Permit('read')
  async one(@Param('registry') registry: string): Promise<RegistryInfo> {
    const found = this.registries.find(registry);
    await found.measure();
    return found.info;
  }

  /**
   * Changes a registry centre that was added in the page. An omitted digest, TLS, SASL or user is kept; an empty digest,
   * or null, removes it.
   */
  @Put(':registry')
  @Permit('manage')
  edit(
    @Param('registry') registry: string,
    @Body() body: RegistryChange,
    @CurrentCaller() caller: Caller,
  ): Promise<RegistryInfo> {
    const change = changeOf(body);
    return this.audit.record({ action: 'registry.update', registry, target: registry, caller }, (notes) => {
      const before = this.registries.find(registry).info;
      if (before.type !== typeOfChange(change)) notes.note('type', before.type, typeOfChange(change));
      for (const key of ['serverLists', 'namespace', 'schema'] as const)
        if (change[key] !== undefined && before[key] !== change[key]) notes.note(key, before[key], change[key]);
      const [notified, notifies] = [before.notify ?? true, change.notify ?? true];
      if (notified !== notifies) notes.note('notify', String(notified), String(notifies));
      const [was, is] = [tlsInWords(before.tls), tlsInWords(change.tls)];
      if (change.tls !== undefined && was !== is) notes.note('tls', was, is);
      if (change.sasl !== undefined && before.saslUsername !== change.sasl?.username)
        notes.note('sasl', before.saslUsername, change.sasl?.username);
      if (change.credentials !== undefined && before.username !== change.credentials?.username)
        notes.note('user', before.username, change.credentials?.username);
      return this.registries.edit(registry, change);
    });
  }

  /** Removes a registry centre that was added in the page from the console. Its jobs do not change. */
  @Delete(':registry')
  @HttpCode(204)
  @Permit('manage')
  remove(@Param('registry') registry: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.audit.record({ action: 'registry.remove', registry, target: registry, caller }, () =>
      this.registries.remove(registry),
    );
  }

  /** Connects the console to a registry centre. */
  @Post(':registry/connect')
  @HttpCode(200)
  @Permit('manage')
  connect(@Param('registry') registry: string, @CurrentCaller() caller: Caller): Promise<RegistryInfo> {
    return this.audit.record({ action: 'registry.connect', registry, target: registry, caller }, () =>
      this.registries.connect(registry),
    );
  }

  /** Disconnects the console from a registry centre. Its jobs go on. */
  @Post(':registry/disconnect')
  @HttpCode(200)
  @Permit('manage')
  disconnect(@Param('registry') registry: string, @CurrentCaller() caller: Caller): Promise<RegistryInfo> {
    return this.audit.record({ action: 'registry.disconnect', registry, target: registry, caller }, () =>
      this.registries.disconnect(registry),
    );
  }

  /** The state of the connection to a registry centre. */
  @Get(':registry/status')
  @Permit('read')
  async status(@Param('registry') registry: string): Promise<RegistryStatus> {
    const found = this.registries.find(registry);
    await found.measure();
    return found.status;
  }
}

/** Reads the fields of a change; fields of a wrong type become empty, and the service reports them. */
function changeOf(body: unknown): RegistryChange {
  const { name, type, serverLists, namespace, schema, notify, digest, tls, sasl, credentials } =
    bodyOf<RegistryChange>(body);
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return withoutSecretsInAddress({
    ...{ name: textOf(name), serverLists: textOf(serverLists), namespace: textOf(namespace) },
    ...(type !== undefined && { type }),
    ...(typeof schema === 'string' && schema !== '' && { schema }),
    ...(notify !== undefined && { notify }),
    ...(digest !== undefined && digest !== null && { digest }),
    ...(tls !== undefined && { tls }),
    ...(sasl !== undefined && { sasl }),
    ...(credentials !== undefined && { credentials }),
  });
}
