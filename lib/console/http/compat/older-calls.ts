import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { type Caller, type ConsoleRequest } from '../../security/callers/caller.js';
import { PasswordLogin } from '../../security/password-login.js';
import { FirstSetup } from '../../security/sessions/first-setup.js';
import { ApiTokens } from '../../security/users/api-tokens.js';
import { RegistryChoice } from '../../services/compat/registry-choice.js';
import { TraceTables } from '../../services/compat/trace-tables.js';
import { ConsoleJobs } from '../../services/jobs/console-jobs.js';
import { JobActions } from '../../services/jobs/job-actions.js';
import { JobConfigurations } from '../../services/jobs/job-configurations.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { Registries } from '../../services/registries/registries.js';
import { DataSources } from '../../services/trace/data-sources.js';
import { Traces } from '../../services/trace/traces.js';

/** A request that a route of the older APIs answers. */
export interface OlderRequest extends ConsoleRequest {
  /** The parameters in the path of the route. */
  readonly params: { readonly [Name in 'job' | 'item' | 'ip' | 'port']: string } & { readonly prefix?: string };
  readonly query: Readonly<Record<string, unknown>>;
  readonly elasticJobCaller: Caller;
}

/** The services of the older APIs. As a pipe, it makes the call of a route from a request. */
@Injectable()
export class OlderServices implements PipeTransform<OlderRequest, OlderCall> {
  constructor(
    @Inject(JobActions) readonly actions: JobActions,
    @Inject(JobConfigurations) readonly configurations: JobConfigurations,
    @Inject(ConsoleJobs) readonly jobs: ConsoleJobs,
    @Inject(Registries) readonly registries: Registries,
    @Inject(RegistryChoice) readonly choice: RegistryChoice,
    @Inject(DataSources) readonly sources: DataSources,
    @Inject(TraceTables) readonly tables: TraceTables,
    @Inject(Traces) readonly traces: Traces,
    @Inject(PasswordLogin) readonly passwords: PasswordLogin,
    @Inject(ApiTokens) readonly tokens: ApiTokens,
    @Inject(FirstSetup) readonly setup: FirstSetup,
    @Inject(ConsoleAudit) readonly audit: ConsoleAudit,
  ) {}

  transform(request: OlderRequest): OlderCall {
    return new OlderCall(request, this);
  }
}

/** A request of the older APIs, with the services that answer it. */
export class OlderCall {
  constructor(
    readonly request: OlderRequest,
    readonly services: OlderServices,
  ) {}

  get params(): OlderRequest['params'] {
    return this.request.params;
  }

  get query(): OlderRequest['query'] {
    return this.request.query;
  }

  get caller(): Caller {
    return this.request.elasticJobCaller;
  }

  /** The registry centre that the caller names in `X-Registry-Center` or has chosen, as paths name none. */
  get registry(): ConsoleRegistry {
    return this.services.choice.of(this.caller, this.request.headers['x-registry-center'] as string | undefined);
  }

  get action(): ConsoleAction {
    return { registry: this.registry, caller: this.caller };
  }
}
