import { type InstanceView, type JobView } from '../../layout/job-view.js';
import { type Clock } from '../../time/clock.js';

/** How long a Java instance that has vanished counts as there. It needs some milliseconds to create its node again. */
export const JAVA_RECONNECT_GRACE_MS = 1_000;

/**
 * Knows which instances are Java ElasticJob's. One view cannot show that, because it is of one moment only.
 *
 * An instance of ours registers its node, its sign of life (`x-node/live`) and its record (`x-node/fired`) in one
 * commit, so the first view that shows it shows it as ours. Later its nodes vanish one by one: its session ends, a peer
 * puts its record away, an operator removes `x-node`. So an instance that was ours remains ours for as long as its node
 * stands.
 *
 * A Java instance removes its node and creates it again whenever its connection was interrupted, while its items go on
 * running. If peers took it for dead in that moment, they would run its items a second time.
 */
export class JavaPeers {
  readonly #clock: Clock;
  /** Instances that the last view showed to be ours. */
  #ours: ReadonlySet<string> = new Set();
  /** Java instances that the last view showed. */
  #java: ReadonlyMap<string, InstanceView> = new Map();
  /** Java instances that have vanished and may reconnect, and when they were missed first, by the monotonic clock. */
  readonly #vanished = new Map<string, { readonly instance: InstanceView; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if Java instances have vanished that still count as present. */
  get areFlapping(): boolean {
    return this.#vanished.size > 0;
  }

  /**
   * Completes the next view and remembers it: adds Java instances that have just vanished, because they may be
   * reconnecting, and corrects `javaPeers` by what earlier views have shown.
   */
  remember(view: JobView): JobView {
    this.#ours = this.#oursIn(view);
    const present = [...view.instances].filter(([id]) => !this.#ours.has(id));
    this.#noteVanished(view);
    this.#java = new Map(present);
    // The usual case, in a cluster without Java instances.
    if (present.length === 0 && this.#vanished.size === 0 && view.javaPeers.size === 0) return view;
    const java = [...present, ...[...this.#vanished].map(([id, { instance }]) => [id, instance] as const)];
    return { ...view, instances: new Map([...view.instances, ...java]), javaPeers: new Set(java.map(([id]) => id)) };
  }

  #oursIn({ instances, live, beginRecords }: JobView): ReadonlySet<string> {
    const others: string[] = [];
    for (const id of beginRecords.keys()) if (!live.has(id)) others.push(id);
    for (const id of this.#ours) if (!live.has(id) && instances.has(id)) others.push(id);
    return others.length === 0 ? live : new Set([...live, ...others]);
  }

  #noteVanished({ instances }: JobView): void {
    const now = this.#clock.monotonic();
    for (const [id, instance] of this.#java) if (!instances.has(id)) this.#vanished.set(id, { instance, atMs: now });
    for (const [id, { atMs }] of this.#vanished)
      if (instances.has(id) || now - atMs >= JAVA_RECONNECT_GRACE_MS) this.#vanished.delete(id);
  }
}
