/**
 * The services of the console, and their controllers. The console's module provides both, together with
 * `CONSOLE_SERVICE_OPTIONS`, a `ConsoleStore` and a `ConsoleAudit`.
 */
import { type FactoryProvider, type Provider, type Type } from '@nestjs/common';
import { DataSourcesController } from '../http/api/data-sources.controller.js';
import { EventsController } from '../http/api/events.controller.js';
import { GraphsController } from '../http/api/graphs.controller.js';
import { JobActionsController } from '../http/api/job-actions.controller.js';
import { JobConfigurationsController } from '../http/api/job-configurations.controller.js';
import { JobsController } from '../http/api/jobs.controller.js';
import { MetricsController } from '../http/api/metrics.controller.js';
import { OpenApiController } from '../http/api/open-api.controller.js';
import { OverviewController } from '../http/api/overview.controller.js';
import { RegistriesController } from '../http/api/registries.controller.js';
import { ServersController } from '../http/api/servers.controller.js';
import { TraceController } from '../http/api/trace.controller.js';
import { OlderDataSourcesController, OlderRegistriesController } from '../http/compat/older-connections.controller.js';
import { OlderJobsController } from '../http/compat/older-jobs.controller.js';
import { OlderServersController } from '../http/compat/older-servers.controller.js';
import { OlderTracesController } from '../http/compat/older-traces.controller.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { ConsoleAudit } from '../security/audit/console-audit.js';
import {
  clockOf,
  CONSOLE_SERVICE_OPTIONS,
  type ConsoleServiceOptions,
  loggerOf,
} from '../options/console-service-options.js';
import { RegistryChoice } from '../services/compat/registry-choice.js';
import { TraceTables } from '../services/compat/trace-tables.js';
import { ConsoleJobs } from '../services/jobs/console-jobs.js';
import { ConsoleGraphs } from '../services/graphs/console-graphs.js';
import { JobActions } from '../services/jobs/job-actions.js';
import { JobConfigurations } from '../services/jobs/job-configurations.js';
import { Problems } from '../services/jobs/problems.js';
import { ConsoleMetrics } from '../services/metrics/console-metrics.js';
import { EventStreams } from '../services/live/event-streams.js';
import { StreamsLifecycle } from '../services/live/streams.lifecycle.js';
import { ApplicationJobs } from '../services/connections/application-registry.js';
import { Registries } from '../services/registries/registries.js';
import { DataSources } from '../services/trace/data-sources.js';
import { LastRuns } from '../services/trace/last-runs.js';
import { Traces } from '../services/trace/traces.js';

export { CONSOLE_SERVICE_OPTIONS, type ConsoleServiceOptions } from '../options/console-service-options.js';

const streams: FactoryProvider<EventStreams> = {
  provide: EventStreams,
  useFactory: (options: ConsoleServiceOptions) => {
    const { perSession = 16, total = 500 } = options.events ?? {};
    return new EventStreams(clockOf(options), { perSession, total });
  },
  inject: [CONSOLE_SERVICE_OPTIONS],
};

type JobsDependencies = [ConsoleServiceOptions, Traces, LastRuns, DataSources, ConsoleAudit];

const jobs: FactoryProvider<ConsoleJobs> = {
  provide: ConsoleJobs,
  useFactory: (...[options, traces, runs, sources, audit]: JobsDependencies) => {
    const [clock, logger] = [clockOf(options), loggerOf(options)];
    const problems = new Problems(clock, logger);
    return new ConsoleJobs({
      traces,
      runs,
      sources,
      problems,
      audit,
      clock,
      dumpPorts: options.dump?.ports,
      hidesParameters: options.hideParameters,
    });
  },
  inject: [CONSOLE_SERVICE_OPTIONS, Traces, LastRuns, DataSources, ConsoleAudit],
};

const withAudit = [JobActions, JobConfigurations, ConsoleGraphs].map((Service): FactoryProvider => ({
  provide: Service,
  useFactory: (options: ConsoleServiceOptions, audit: ConsoleAudit) =>
    new Service(audit, clockOf(options), { hidesParameters: options.hideParameters }),
  inject: [CONSOLE_SERVICE_OPTIONS, ConsoleAudit],
}));

/** The providers for registry centres, jobs, servers, tracing and live events. */
export const consoleServiceProviders: readonly Provider[] = [
  ApplicationJobs,
  Registries,
  DataSources,
  {
    provide: Traces,
    useFactory: (options: ConsoleServiceOptions, sources: DataSources) => new Traces(sources, clockOf(options)),
    inject: [CONSOLE_SERVICE_OPTIONS, DataSources],
  },
  {
    provide: LastRuns,
    useFactory: (options: ConsoleServiceOptions, sources: DataSources) =>
      new LastRuns(sources, clockOf(options), (error) =>
        loggerOf(options).error(`The console could not pass on a last run: ${describeCause(error)}`),
      ),
    inject: [CONSOLE_SERVICE_OPTIONS, DataSources],
  },
  {
    provide: RegistryChoice,
    useFactory: (registries: Registries) => new RegistryChoice(registries),
    inject: [Registries],
  },
  { provide: TraceTables, useFactory: (sources: DataSources) => new TraceTables(sources), inject: [DataSources] },
  streams,
  StreamsLifecycle,
  {
    provide: ConsoleMetrics,
    useFactory: (registries: Registries, open: EventStreams) => new ConsoleMetrics(registries, open),
    inject: [Registries, EventStreams],
  },
  jobs,
  ...withAudit,
];

/** The controllers for registry centres, jobs, servers, tracing and live events. */
export const consoleServiceControllers: readonly Type[] = [
  RegistriesController,
  OverviewController,
  JobConfigurationsController,
  JobActionsController,
  JobsController,
  GraphsController,
  ServersController,
  EventsController,
  TraceController,
  DataSourcesController,
  OpenApiController,
  MetricsController,
  OlderJobsController,
  OlderServersController,
  OlderRegistriesController,
  OlderDataSourcesController,
  OlderTracesController,
];
