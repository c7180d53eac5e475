/**
 * The classes that are decorated with `@ElasticJob`, as long as they are in use. Nest knows only the classes that a
 * module lists, so a job that was forgotten there can be found in no other way.
 */
const decorated = new Set<WeakRef<object>>();
/** The decorated classes that an application provides, or that a warning has named. */
const settled = new WeakSet();

/** Takes note of a class that is decorated. */
export function noteDecorated(type: object): void {
  decorated.add(new WeakRef(type));
}

/** Takes note that an application of this process has the class, and with it the jobs of its base classes. */
export function settle(type: object): void {
  for (let base: unknown = type; typeof base === 'function'; base = Object.getPrototypeOf(base)) settled.add(base);
}

/** The decorated classes that have not been settled. */
export function unsettledClasses(): readonly object[] {
  return [...decorated].flatMap((reference) => {
    const type = reference.deref();
    if (type === undefined || settled.has(type)) decorated.delete(reference);
    return type === undefined || settled.has(type) ? [] : [type];
  });
}
