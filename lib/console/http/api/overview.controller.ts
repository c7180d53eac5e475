import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { type FiresPreview, type Overview, type ScheduleLane } from '../../contract/jobs.js';
import { type Page } from '../../contract/common.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleJobs } from '../../services/jobs/console-jobs.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { Costly } from '../costly-requests.js';
import { OnRegistry, type QueryOf } from './parameters.js';
import { bodyOf, integer, LAST_MS, optional, readFields, readQuery, text, time } from '../requests.js';

const DAY_MS = 86_400_000;
const WINDOW = { windowMs: optional(integer(60_000, 31 * DAY_MS)) };
const RANGE = { from: optional(time), to: optional(time) };

/** The overview and the schedule of a registry centre. */
@Controller('api/v1')
export class OverviewController {
  constructor(@Inject(ConsoleJobs) private readonly jobs: ConsoleJobs) {}

  /** Jobs by status, runs within `windowMs` milliseconds, problems, and the next firings. */
  @Get('registries/:registry/overview')
  @Costly()
  @Permit('read')
  overview(@OnRegistry() registry: ConsoleRegistry, @Query() query: QueryOf<keyof typeof WINDOW>): Promise<Overview> {
    const { windowMs = DAY_MS } = readQuery(query, WINDOW);
    return this.jobs.overview(registry, windowMs);
  }

  /** The runs and the future firings of each job within a range of at most eight days. */
  @Get('registries/:registry/schedule')
  @Costly()
  @Permit('read')
  schedule(
    @OnRegistry() registry: ConsoleRegistry,
    @Query() query: QueryOf<keyof typeof RANGE>,
  ): Promise<Page<ScheduleLane>> {
    return this.jobs.schedule(registry, readQuery(query, RANGE));
  }

  /** The next firings of a cron expression. */
  @Post('cron/preview')
  @HttpCode(200)
  @Permit('read')
  preview(
    @Body()
    body: {
      readonly cron: string;
      readonly timeZone?: string;
      readonly count?: number;
      readonly from?: number;
      readonly lang?: string;
    },
  ): FiresPreview {
    const {
      count = 10,
      from,
      ...what
    } = readFields(bodyOf(body), {
      cron: text(1_000),
      timeZone: optional(text(100)),
      count: optional(integer(1, 200)),
      from: optional(integer(0, LAST_MS)),
      lang: optional(text(100)),
    });
    return this.jobs.preview(what, { from, count });
  }
}
