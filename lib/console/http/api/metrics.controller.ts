import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleMetrics } from '../../services/metrics/console-metrics.js';
import { type ConsoleResponse } from '../responses.js';

/** What Prometheus scrapes, with a token. */
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(ConsoleMetrics) private readonly metrics: ConsoleMetrics) {}

  /** Registry centres that are connected, jobs by status, and items that run. */
  @Get()
  @Permit('read')
  async text(@Res({ passthrough: true }) response: ConsoleResponse): Promise<string> {
    const { contentType, body } = await this.metrics.text();
    response.header('content-type', contentType);
    return body;
  }
}
