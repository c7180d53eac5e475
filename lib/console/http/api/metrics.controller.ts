import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleMetrics } from '../../services/metrics/console-metrics.js';
import { type ConsoleResponse } from '../responses.js';

/** The metrics of the console for Prometheus, which needs a token. */
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(ConsoleMetrics) private readonly metrics: ConsoleMetrics) {}

  /** The connected registry centres, the jobs by status, and the running items. */
  @Get()
  @Permit('read')
  async text(@Res({ passthrough: true }) response: ConsoleResponse): Promise<string> {
    const { contentType, body } = await this.metrics.text();
    response.header('content-type', contentType);
    return body;
  }
}
