import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { type ConnectionTest } from '../../contract/registries.js';
import {
  type DataSourceChange,
  type DataSourceDriver,
  type DataSourceInfo,
  type SchemaCheck,
} from '../../contract/trace.js';
import { type Caller } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { DRIVERS } from '../../services/trace/data-source-description.js';
import { DataSources } from '../../services/trace/data-sources.js';
import { tlsInWords } from '../../services/connections/stored-tls.js';
import { bodyOf } from '../requests.js';

const KEYS = ['driver', 'host', 'port', 'database', 'username'] as const;

/** Databases in which runs are recorded. */
@Controller('api/v1/data-sources')
export class DataSourcesController {
  constructor(
    @Inject(DataSources) private readonly sources: DataSources,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  /** All data sources that the console knows. */
  @Get()
  @Permit('read')
  list(): readonly DataSourceInfo[] {
    return this.sources.list();
  }

  /** The drivers that can be chosen. */
  @Get('drivers')
  @Permit('read')
  drivers(): readonly DataSourceDriver[] {
    return DRIVERS;
  }

  /** Adds a data source. */
  @Post()
  @Permit('manage')
  add(@Body() body: DataSourceChange, @CurrentCaller() caller: Caller): Promise<DataSourceInfo> {
    const change = changeOf(body);
    return this.audit.record({ action: 'data-source.add', target: change.name, caller }, (notes) => {
      for (const key of KEYS) notes.note(key, undefined, textOf(change[key]));
      notes.note('tls', undefined, tlsInWords(change.tls));
      return this.sources.add(change);
    });
  }

  /** Tests if a database can be used as described. */
  @Post('test')
  @HttpCode(200)
  @Permit('manage')
  test(@Body() body: DataSourceChange, @CurrentCaller() caller: Caller): Promise<ConnectionTest> {
    const change = changeOf(body);
    const target = `${change.host}:${change.port}/${change.database}`;
    return this.audit.record({ action: 'data-source.test', target, caller }, () => this.sources.test(change));
  }

  /**
   * Changes a data source that was added in the page. An omitted password or TLS is kept; an empty password, or null,
   * removes it.
   */
  @Put(':name')
  @Permit('manage')
  edit(
    @Param('name') name: string,
    @Body() body: DataSourceChange,
    @CurrentCaller() caller: Caller,
  ): Promise<DataSourceInfo> {
    const change = changeOf(body);
    return this.audit.record({ action: 'data-source.update', target: name, caller }, (notes) => {
      const before = this.sources.find(name).info(false);
      for (const key of KEYS)
        if (before[key] !== change[key]) notes.note(key, textOf(before[key]), textOf(change[key]));
      const [was, is] = [tlsInWords(before.tls), tlsInWords(change.tls)];
      if (change.tls !== undefined && was !== is) notes.note('tls', was, is);
      return this.sources.edit(name, change);
    });
  }

  /** Removes a data source that was added in the page from the console. Its tables do not change. */
  @Delete(':name')
  @HttpCode(204)
  @Permit('manage')
  remove(@Param('name') name: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.audit.record({ action: 'data-source.remove', target: name, caller }, () => this.sources.remove(name));
  }

  /** Makes pages show the runs of this data source. */
  @Post(':name/activate')
  @HttpCode(200)
  @Permit('manage')
  activate(@Param('name') name: string, @CurrentCaller() caller: Caller): Promise<DataSourceInfo> {
    return this.audit.record({ action: 'data-source.activate', target: name, caller }, () =>
      this.sources.activate(name),
    );
  }

  /** The missing tables, and the statements that create them. */
  @Get(':name/schema')
  @Permit('read')
  schema(@Param('name') name: string): Promise<SchemaCheck> {
    return this.sources.schema(name);
  }

  /** Creates the missing tables. */
  @Post(':name/schema')
  @HttpCode(200)
  @Permit('manage')
  createSchema(@Param('name') name: string, @CurrentCaller() caller: Caller): Promise<SchemaCheck> {
    return this.audit.record({ action: 'data-source.create-tables', target: name, caller }, () =>
      this.sources.createSchema(name),
    );
  }
}

/**
 * Reads the fields of a change, whose problems the service reports. Other fields are ignored, so that no caller can set
 * options of a driver.
 */
function changeOf(body: unknown): DataSourceChange {
  const { name, driver, host, port, database, username, password, tls } = bodyOf<DataSourceChange>(body);
  return {
    ...{ name, driver, host, port, database },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls !== undefined && { tls }),
  } as DataSourceChange;
}

function textOf(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
