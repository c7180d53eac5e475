import { type TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { type PlannedFault } from './fault-plan.js';
import { type Instance } from './fleet.js';
import { type Fault } from './history.js';
import { monotonicMs, pause } from './monotonic.js';
import { type RegistryUnderFaults } from './registry/registry-under-faults.js';

/** The parts with which faults are made. */
export interface ChaosPorts {
  readonly instances: readonly Instance[];
  readonly registry: RegistryUnderFaults;
  readonly onFault: (fault: Fault) => void;
}

/** How long a fault may wait for something that it can meet. */
const PATIENCE_MS = 300_000;

/** Does to a cluster what a plan says. Faults overlap, except on one process, one network and among servers. */
export class Chaos {
  readonly faults: Fault[] = [];
  readonly outages: { readonly from: number; readonly to: number }[] = [];
  readonly #ports: ChaosPorts;
  #serversAreBusy = false;

  constructor(ports: ChaosPorts) {
    this.#ports = ports;
  }

  /**
   * Carries out the whole plan; resolves when everything has been made good. Where as many faults are being made good
   * as there are instances, what is to come is put off, so that on a slow machine it comes as sparsely as on a fast
   * one.
   */
  async run(plan: readonly PlannedFault[]): Promise<void> {
    let began = monotonicMs();
    let failure: Error | undefined;
    const present = new Set<Promise<void>>();
    for (const planned of plan) {
      // One after the other: the plan is a schedule.
      await pause(began + planned.atMs - monotonicMs());
      const dueAt = monotonicMs();
      await until(
        () => present.size < this.#ports.instances.length || failure !== undefined,
        'faults to end',
        PATIENCE_MS,
      );
      began += monotonicMs() - dueAt;
      if (failure !== undefined) break;
      const made = this.#make(planned)
        .catch((error: unknown) => {
          failure ??= new Error(`Fault ${planned.number} (${planned.kind}): ${String(error)}`, { cause: error });
        })
        .finally(() => present.delete(made));
      present.add(made);
    }
    await Promise.all(present);
    if (failure !== undefined) throw failure;
  }

  #make(planned: PlannedFault): Promise<void> {
    switch (planned.kind) {
      case 'kill':
        return this.#replace(planned, 'SIGKILL');
      case 'stop and restart':
        return this.#replace(planned, 'SIGTERM');
      case 'freeze past the session':
      case 'freeze within the session':
        return this.#freeze(planned);
      case 'cut both ways':
      case 'cut sending':
      case 'cut receiving':
      case 'slow network':
      case 'reset connections':
        return this.#cut(planned);
      default:
        return this.#hurtServers(planned);
    }
  }

  /** Ends a process and, after a while, starts the instance's next one. */
  async #replace(planned: PlannedFault, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.#withInstance(planned, 'process', async (instance) => {
      const { name } = instance.life;
      const from = monotonicMs();
      await instance.life.end(signal);
      await pause(planned.durationMs);
      await instance.start();
      this.#note(planned, [name], from);
    });
  }

  async #freeze(planned: PlannedFault): Promise<void> {
    await this.#withInstance(planned, 'process', async ({ life }) => {
      const from = monotonicMs();
      life.signal('SIGSTOP');
      await pause(planned.durationMs);
      life.signal('SIGCONT');
      this.#note(planned, [life.name], from);
    });
  }

  async #cut(planned: PlannedFault): Promise<void> {
    await this.#withInstance(planned, 'network', async (instance) => {
      const { proxies } = instance;
      const met = instance.lives.length;
      const from = monotonicMs();
      for (const proxy of proxies) {
        if (planned.kind === 'cut both ways') proxy.blackHole('up', 'down');
        else if (planned.kind === 'cut sending') proxy.blackHole('up');
        else if (planned.kind === 'cut receiving') proxy.blackHole('down');
        else if (planned.kind === 'slow network') slowDown(proxy, planned.delayMs);
        else proxy.cut();
      }
      await pause(planned.durationMs);
      for (const proxy of proxies) {
        if (!planned.delivers) proxy.cut();
        proxy.heal();
      }
      // A process that was replaced meanwhile was cut off like its predecessor.
      const targets = instance.lives.slice(met - 1).map(({ name }) => name);
      this.#note(planned, targets, from);
    });
  }

  async #hurtServers(planned: PlannedFault): Promise<void> {
    await until(() => !this.#serversAreBusy, 'the servers to be well', PATIENCE_MS);
    this.#serversAreBusy = true;
    const { target, from, outageTo } = await this.#ports.registry.meet(planned);
    if (outageTo !== undefined) this.outages.push({ from, to: outageTo });
    this.#note(planned, [target], from);
    this.#serversAreBusy = false;
  }

  async #withInstance(
    planned: PlannedFault,
    part: 'process' | 'network',
    task: (instance: Instance) => Promise<void>,
  ): Promise<void> {
    const free = (): readonly Instance[] => this.#ports.instances.filter(({ busy }) => !busy[part]);
    await until(() => free().length > 0, `an instance that ${planned.kind} can meet`, PATIENCE_MS);
    const instance = free()[Math.floor(planned.choice * free().length)];
    if (instance === undefined) throw new Error('There is no instance to choose from');
    instance.busy[part] = true;
    await task(instance);
    instance.busy[part] = false;
  }

  #note({ number, kind }: PlannedFault, targets: readonly string[], from: number): void {
    const fault = { number, kind, targets, from, to: monotonicMs() };
    this.faults.push(fault);
    this.#ports.onFault(fault);
  }
}

function slowDown(proxy: TcpProxy, delayMs: number): void {
  proxy.delay('up', delayMs);
  proxy.delay('down', delayMs);
}
