/**
 * The providers that `elasticJobClass` can mean: the one of a class or, as in Java, the only one of an interface or a
 * base class.
 */
import { describeValue } from '../../api/text/describe-value.js';
import { isDataflowJob, isSimpleJob } from '../../api/job/job.js';
import { type FoundProvider } from '../elastic-job.explorer.js';
import { JobHandle } from '../jobs/job-handle.js';

/** The providers that a class name means. If none has exactly that name, it may be a Java class with its package. */
export function providersNamed(named: string | object, providers: readonly FoundProvider[]): readonly FoundProvider[] {
  if (typeof named !== 'string') return providers.filter(({ type }) => type === named);
  const exact = providers.filter(({ className }) => className === named);
  return exact.length > 0 ? exact : providers.filter(({ className }) => className === withoutPackage(named));
}

/** The class name of a Java class. */
export function withoutPackage(className: string): string {
  return className.slice(className.lastIndexOf('.') + 1);
}

/** An interface or a base class, which means the only provider of that kind. */
export interface Kind {
  readonly name: string;
  /** Such providers, as the end of a sentence in messages. */
  readonly what: string;
  readonly has: (provider: FoundProvider) => boolean;
}

const INTERFACES: readonly Kind[] = [
  {
    name: 'SimpleJob',
    what: 'with the method execute(context)',
    // A handle is no job: its execute() triggers one.
    has: ({ instance }) => isSimpleJob(instance) && !(instance instanceof JobHandle),
  },
  {
    name: 'DataflowJob',
    what: 'with the methods fetchData(context) and processData(context, data)',
    has: ({ instance }) => isDataflowJob(instance),
  },
];

/** The kind that a name means; `undefined` if it is the name of a provider's own class, or of nothing. */
export function kindNamed(named: string | object, providers: readonly FoundProvider[]): Kind | undefined {
  if (providersNamed(named, providers).length > 0) return undefined;
  const name = typeof named === 'string' ? withoutPackage(named) : nameOf(named);
  const isIt = (type: object): boolean =>
    typeof named === 'string' ? (type as { readonly name?: unknown }).name === name : type === named;
  const derived = ({ type }: FoundProvider): boolean => type !== undefined && ancestorsOf(type).some(isIt);
  if (providers.some(derived)) return { name, what: `whose class extends ${name}`, has: derived };
  return typeof named === 'string' ? INTERFACES.find((each) => each.name === name) : undefined;
}

function ancestorsOf(type: object): readonly object[] {
  const parent: unknown = Object.getPrototypeOf(type);
  return typeof parent === 'function' && parent !== Function.prototype ? [parent, ...ancestorsOf(parent)] : [];
}

/** A class as messages name it. */
export function nameOf(named: unknown): string {
  return typeof named === 'function' ? named.name : describeValue(named);
}
