import { Inject, Injectable, Scope } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { DiscoveryService } from '@nestjs/core';
import { type ElasticJobMetadata, jobsOf, oneOffJobsAskedBy } from './decorators/elastic-job.decorator.js';
import { type ExtensionMetadata, extensionsOf } from './decorators/extension.decorators.js';
import { isDataSource } from '../settings/tracing-settings.js';
import { listenerTypeOf } from './decorators/job-listener.decorator.js';
import { isOperationListener } from './decorators/operation-listener.decorator.js';
import { isTracingListener } from './decorators/tracing-listener.decorator.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A provider of the application, as jobs and listeners see it. */
export interface FoundProvider {
  /** Name of the class, or of the token if there is no class. */
  readonly className: string;
  /** The provider's class; `undefined` for a value without one. */
  readonly type: object | undefined;
  /** The provider's name in messages: `provider SyncOrdersJob of AppModule`. */
  readonly label: string;
  /** The only instance; `undefined` if there is not exactly one. */
  readonly instance: object | undefined;
  /** The reason why there is not exactly one instance (`is request-scoped`); `undefined` if there is. */
  readonly scopeProblem: string | undefined;
  /** The jobs that it is decorated as. */
  readonly jobs: readonly ElasticJobMetadata[];
  /** The listener that it is decorated as, by its unchecked type. */
  readonly listener?: { readonly type: unknown } | undefined;
  /** The executors, strategies, error handlers and thread pool size providers that it is decorated as. */
  readonly extensions: readonly ExtensionMetadata[];
  /** True if it is decorated as a tracing listener. */
  readonly isTracingListener: boolean;
  /** True if it is decorated as a listener of operations. Default: false. */
  readonly isOperationListener?: boolean;
}

/** A TypeORM `DataSource` of the application. */
export interface FoundDataSource {
  readonly dataSource: object;
  /** The tokens by which it is injected. */
  readonly tokens: readonly unknown[];
  /** Names that mean it, the first one for messages. */
  readonly names: readonly string[];
  /** True if it is injected by the class `DataSource`. */
  readonly isDefault: boolean;
}

/** A constructor parameter or property with `@InjectOneOffJob`. */
export interface OneOffInjection {
  readonly token: string;
  /** The place of the decorator, with which messages begin: `@InjectOneOffJob('report') in OrdersController of OrdersModule`. */
  readonly path: string;
}

/** Finds the application's providers. It only reads. */
@Injectable()
export class ElasticJobExplorer {
  readonly #discovery: DiscoveryService;

  constructor(@Inject(DiscoveryService) discovery: DiscoveryService) {
    this.#discovery = discovery;
  }

  /** The application's `ConfigService`, if it imports `ConfigModule` anywhere. */
  get configService(): ConfigService | undefined {
    const wrappers = this.#discovery.getProviders().filter(({ token }) => token === ConfigService);
    return wrappers
      .map(({ instance }) => instance as ConfigService | undefined)
      .find((service) => service !== undefined);
  }

  /** All providers that are objects. A provider with several tokens is listed once. */
  providers(): readonly FoundProvider[] {
    const seen = new Set<object>();
    return this.#discovery.getProviders().flatMap((wrapper) => {
      const provider = found(wrapper);
      const identity = provider?.instance ?? wrapper;
      if (provider === undefined || seen.has(identity)) return [];
      seen.add(identity);
      return [provider];
    });
  }

  /** The classes of all controllers. */
  controllers(): readonly object[] {
    return this.#discovery
      .getControllers()
      .flatMap(({ metatype }) => (typeof metatype === 'function' ? [metatype] : []));
  }

  /** The TypeORM DataSources among the providers. */
  dataSources(): readonly FoundDataSource[] {
    const tokens = new Map<object, unknown[]>();
    for (const wrapper of this.#discovery.getProviders()) {
      const instance: unknown = wrapper.instance;
      if (isDataSource(instance)) tokens.set(instance, [...(tokens.get(instance) ?? []), wrapper.token]);
    }
    return [...tokens].map(([dataSource, its]) => describeDataSource(dataSource, its));
  }

  /** The tokens that providers and controllers name in `@InjectOneOffJob`. */
  oneOffInjections(): readonly OneOffInjection[] {
    return [...this.#discovery.getProviders(), ...this.#discovery.getControllers()].flatMap(injectionsOf);
  }
}

function describeDataSource(dataSource: object, tokens: readonly unknown[]): FoundDataSource {
  const isDefault = tokens.some((token) => typeof token === 'function' && token.name === 'DataSource');
  const { name } = dataSource as { readonly name?: unknown };
  const names = [
    ...(isDefault ? ['default'] : []),
    // The token of @nestjs/typeorm for the DataSource `reports` is `reportsDataSource`.
    ...tokens.flatMap((token) => (typeof token === 'string' ? [token.replace(/(?<=.)DataSource$/, ''), token] : [])),
    ...(typeof name === 'string' && name !== 'default' ? [name] : []),
  ];
  return { dataSource, tokens, names: [...new Set(names)], isDefault };
}

function injectionsOf(wrapper: Wrapper): readonly OneOffInjection[] {
  const type: unknown = isClassProvider(wrapper) ? wrapper.metatype : undefined;
  const asked = typeof type === 'function' ? oneOffJobsAskedBy(type) : [];
  if (asked.length === 0) return [];
  // A subclass with a constructor of its own does not inject the dependencies of its base class's constructor.
  const injected = new Set(dependenciesOf(wrapper).map(({ token }) => token));
  const asker = `${String(wrapper.name)}${wrapper.host === undefined ? '' : ` of ${wrapper.host.name}`}`;
  return [...new Set(asked)]
    .filter((token) => injected.has(token))
    .map((token) => ({ token, path: `@InjectOneOffJob('${token}') in ${asker}` }));
}

function found(wrapper: Wrapper): FoundProvider | undefined {
  const scopeProblem = scopeProblemOf(wrapper);
  const instance: unknown = scopeProblem === undefined ? wrapper.instance : undefined;
  if (scopeProblem === undefined && (typeof instance !== 'object' || instance === null)) return undefined;
  const types: readonly unknown[] = [
    instance?.constructor,
    isClassProvider(wrapper) ? wrapper.metatype : undefined,
    wrapper.token,
  ];
  const candidates = types.filter((type): type is NamedType => typeof type === 'function' && type !== Object);
  const type = candidates.find(isDecorated) ?? candidates[0];
  const className = type?.name ?? String(wrapper.name);
  return {
    className,
    type,
    label: `provider ${className}${wrapper.host === undefined ? '' : ` of ${wrapper.host.name}`}`,
    instance: instance as object | undefined,
    scopeProblem,
    jobs: type === undefined ? [] : jobsOf(type),
    listener: type === undefined ? undefined : listenerTypeOf(type),
    extensions: type === undefined ? [] : extensionsOf(type),
    isTracingListener: type !== undefined && isTracingListener(type),
    isOperationListener: type !== undefined && isOperationListener(type),
  };
}

function isDecorated(type: object): boolean {
  return (
    jobsOf(type).length > 0 ||
    listenerTypeOf(type) !== undefined ||
    extensionsOf(type).length > 0 ||
    isTracingListener(type) ||
    isOperationListener(type)
  );
}

interface NamedType {
  readonly name: string;
}

function isClassProvider(wrapper: Wrapper): boolean {
  // The metatype of a factory provider is the factory.
  return !wrapper.isFactory && wrapper.metatype !== null;
}

function scopeProblemOf(wrapper: Wrapper): string | undefined {
  if (wrapper.scope === Scope.REQUEST) return 'is request-scoped';
  if (wrapper.scope === Scope.TRANSIENT) return 'is transient-scoped, so every consumer has an instance of its own';
  if (wrapper.isDependencyTreeStatic()) return undefined;
  const culprit = requestScopedBelow(wrapper, new Set());
  return `depends on ${culprit === undefined ? 'something' : String(culprit.name)}, which is request-scoped`;
}

function requestScopedBelow(wrapper: Wrapper, visited: Set<Wrapper>): Wrapper | undefined {
  visited.add(wrapper);
  for (const dependency of dependenciesOf(wrapper)) {
    if (visited.has(dependency)) continue;
    if (dependency.scope === Scope.REQUEST) return dependency;
    const below = requestScopedBelow(dependency, visited);
    if (below !== undefined) return below;
  }
  return undefined;
}

function dependenciesOf(wrapper: Wrapper): readonly Wrapper[] {
  const ofConstructor = (wrapper.getCtorMetadata() ?? []) as readonly (Wrapper | undefined)[];
  const ofProperties = (wrapper.getPropertiesMetadata() ?? []).map((property) => property.wrapper);
  return [...ofConstructor, ...ofProperties].filter((dependency) => dependency !== undefined);
}
