import { Controller, Get, Inject, Query, StreamableFile } from '@nestjs/common';
import { type Page } from '../../contract/common.js';
import { type AuditRecord } from '../../contract/session.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { Costly } from '../costly-requests.js';
import { csvLine } from '../../answers/csv.js';
import { integer, limit, oneOf, optional, PAGE_SIZE, readQuery, text } from '../requests.js';

const LATEST = 8_640_000_000_000_000;
const FILTERS = {
  username: optional(text(200)),
  action: optional(text(100)),
  target: optional(text(500)),
  registry: optional(text(200)),
  outcome: optional(oneOf('done', 'failed', 'refused')),
  from: optional(integer(0, LATEST)),
  to: optional(integer(0, LATEST)),
};
const PAGE = { limit: limit(), cursor: optional(text(100)) };
const MOST_CSV_ROWS = 50_000;
const COLUMNS = [
  ...([
    'at',
    'username',
    'role',
    'provider',
    'ip',
    'action',
    'registry',
    'target',
    'outcome',
    'reason',
    'error',
  ] as const),
  ...(['before', 'after', 'requestId'] as const),
];

/** The records of actions and refusals. */
@Controller('api/v1')
@Costly()
export class AuditController {
  constructor(@Inject(ConsoleAudit) private readonly audit: ConsoleAudit) {}

  @Get('audit')
  @Permit('admin')
  list(@Query() query: unknown): Promise<Page<AuditRecord>> {
    const { limit = PAGE_SIZE, cursor } = readQuery(query, PAGE);
    return this.audit.find(readQuery(query, FILTERS), { limit, cursor });
  }

  @Get('audit.csv')
  @Permit('admin')
  async csv(@Query() query: unknown): Promise<StreamableFile> {
    const { items } = await this.audit.find(readQuery(query, FILTERS), { limit: MOST_CSV_ROWS });
    const lines = [csvLine(COLUMNS), ...items.map((item) => csvLine(COLUMNS.map((column) => shown(item, column))))];
    return new StreamableFile(Buffer.from(lines.join('')), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="audit.csv"',
    });
  }
}

function shown(record: AuditRecord, column: (typeof COLUMNS)[number]): string {
  const value = record[column];
  if (column === 'at') return new Date(record.at).toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
}
