/** The console's metrics for Prometheus. Each scrape gathers them from the console's memory. */
import type * as PromClient from 'prom-client';
import { describeCause } from '../../../api/text/describe-cause.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { isModuleMissing } from '../../options/missing-package.js';
import { STATUS_ORDER } from '../jobs/job-list.js';
import { consoleStatus } from '../live/job-rows.js';
import { type Registries } from '../registries/registries.js';
import { type EventStreams } from '../live/event-streams.js';

/** The console's metrics in Prometheus' text format, by the package prom-client. */
export class ConsoleMetrics {
  constructor(
    private readonly registries: Registries,
    private readonly streams: EventStreams,
  ) {}

  /** @throws ConsoleProblem 501 `package-missing` if prom-client is not installed */
  async text(): Promise<{ readonly contentType: string; readonly body: string }> {
    const { Gauge, Registry } = await promClient();
    const register: PromClient.Registry = new Registry();
    const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
      new Gauge({ name: `elasticjob_console_${name}`, help, labelNames: [...labelNames], registers: [register] });
    const connected = gauge('registry_connected', '1 if the registry centre is connected, otherwise 0.', ['registry']);
    const jobs = gauge('jobs', 'Jobs by status, as the list shows it.', ['registry', 'status']);
    const running = gauge('running_items', 'Items that run now.', ['registry']);
    gauge('event_streams', 'Open streams of events.').set(this.streams.size);
    for (const registry of this.registries.all) {
      connected.set({ registry: registry.name }, registry.isConnected ? 1 : 0);
      // A scrape counts as a reader. A registry centre that is out of reach is reported by `connected`.
      const known = await registry.jobs().catch(() => undefined);
      if (known === undefined) continue;
      // Every status has a sample, so that an alert can distinguish a status without jobs from an unknown one.
      for (const status of STATUS_ORDER) jobs.set({ registry: registry.name, status }, 0);
      running.set({ registry: registry.name }, 0);
      for (const job of known.jobs) {
        jobs.inc({ registry: registry.name, status: consoleStatus(job) });
        running.inc({ registry: registry.name }, job.view.items.filter((item) => item.running).length);
      }
    }
    return { contentType: register.contentType, body: await register.metrics() };
  }
}

async function promClient(): Promise<Pick<typeof PromClient, 'Gauge' | 'Registry'>> {
  try {
    return await import('prom-client');
  } catch (cause) {
    const reason = isModuleMissing(cause, 'prom-client')
      ? 'the package prom-client is not installed beside the console: npm install prom-client'
      : `prom-client cannot be loaded: ${describeCause(cause)}`;
    throw new ConsoleProblem(501, 'package-missing', `There are no metrics, as ${reason}`, { cause });
  }
}
