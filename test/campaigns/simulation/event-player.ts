import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { type JobPaths } from '../../../lib/layout/job-paths.js';
import { fullTriggers } from '../../../lib/layout/full-trigger.js';
import { readJobView } from '../../../lib/layout/job-view.js';
import { encodeTrigger } from '../../../lib/layout/x-node/trigger.js';
import { idOf, ipOf } from '../../support/views.js';
import { configurationOf } from './configuration.js';
import { type Event, FIRST_JOB, jobOf } from './history.js';
import { type Machine, type World } from './world.js';

/** The state that a machine gets by itself, some time after an event. */
export type Aftermath = 'dies' | 'lost a write' | 'is reachable again' | 'goes on';

/** Called when something becomes of a machine later. */
export type OnAftermath = (machine: Machine, what: Aftermath) => void;

/** Makes the events of a history happen in a world. */
export class EventPlayer {
  readonly #world: World;
  readonly #onAftermath: OnAftermath;
  readonly #kill: (machine: Machine) => void;

  /** @param kill ends a process without a word */
  constructor(world: World, onAftermath: OnAftermath, kill: (machine: Machine) => void) {
    this.#world = world;
    this.#onAftermath = onAftermath;
    this.#kill = kill;
  }

  /** Makes it happen; false if it makes no sense now. */
  play(event: Event): boolean {
    switch (event.type) {
      case 'join':
        // A name is never used twice.
        if (this.#world.machines.has(event.name)) return false;
        this.#world.join(event.name, event.skewMs);
        return true;
      case 'wipe':
        this.#world.wipe(event.ms);
        return true;
      case 'prolong-sessions':
        this.#world.sessionClock.prolong();
        return true;
      case 'fail-strategy':
        this.#world.failStrategy(event.ms);
        return true;
      case 'disable':
      case 'enable':
      case 'disable-item':
      case 'enable-item':
      case 'reconfigure':
      case 'trigger':
        return this.#operate(event);
      default: {
        const machine = this.#world.living(event.name);
        return machine !== undefined && this.#befall(machine, event);
      }
    }
  }

  /** Plays an operation. */
  #operate(event: Event): boolean {
    const { operator, namespace } = this.#world;
    const paths = this.#world.pathsOf(jobOf(event) ?? FIRST_JOB);
    switch (event.type) {
      case 'disable':
      case 'enable':
        if (namespace.get(paths.server(ipOf(event.name))) === undefined) return false;
        void operator.put(paths.server(ipOf(event.name)), event.type === 'disable' ? 'DISABLED' : 'ENABLED');
        return true;
      case 'disable-item':
        if (namespace.get(paths.item(event.item)) === undefined) return false;
        // Not by `create`, which would make an item of one that is just being dropped.
        operator
          .commit([{ type: 'create', path: paths.item(event.item, 'disabled'), value: '' }])
          .catch(() => undefined);
        return true;
      case 'enable-item':
        void operator.remove(paths.item(event.item, 'disabled'));
        return true;
      case 'reconfigure': {
        const { value } = namespace.get(paths.config) ?? {};
        if (value === undefined) return false;
        void operator.put(paths.config, toYaml({ ...configurationOf(value), ...event.change }));
        return true;
      }
      case 'trigger':
        return this.#trigger(paths, event.item);
      default:
        throw new Error(`operators do not do this: ${event.type}`);
    }
  }

  #trigger(paths: JobPaths, item: number | undefined): boolean {
    const { operator, namespace } = this.#world;
    if (item === undefined) {
      const nodes = new Map([...namespace.subtree(paths.root)].map(([path, node]) => [path, node]));
      const view = readJobView(nodes, paths.jobName);
      for (const [id, trigger] of fullTriggers(view, [...view.instances.keys()]))
        void operator.create(paths.trigger(id), encodeTrigger(trigger));
      return true;
    }
    const { value: owner } = namespace.get(paths.item(item, 'instance')) ?? {};
    if (owner === undefined || namespace.get(paths.instance(owner)) === undefined) return false;
    void operator.create(paths.trigger(owner), encodeTrigger({ items: [item], isForAll: false }));
    return true;
  }

  #befall(machine: Machine, event: Event & { readonly name: string }): boolean {
    const { clock, operator } = this.#world;
    const { faults } = machine.registry;
    switch (event.type) {
      case 'leave':
        if (machine.isLeaving) return false;
        void this.#world.leave(machine);
        return true;
      case 'kill':
        this.#kill(machine);
        return true;
      case 'kill-at-write':
      case 'lose-write':
        this.#ambush(machine, event);
        return true;
      case 'expire':
        this.#world.expire(machine);
        return true;
      case 'terminate':
        void operator.remove(this.#world.pathsOf(jobOf(event) ?? FIRST_JOB).instance(idOf(machine.name)));
        return true;
      case 'suspend':
        faults.disconnect();
        clock.after(event.ms, () => this.#return(machine));
        return true;
      case 'cut':
        faults.dropMessages(event.direction);
        clock.after(event.ms, () => this.#return(machine));
        return true;
      case 'freeze':
        this.#world.freeze(machine, event.ms);
        clock.after(event.ms, () => this.#onAftermath(machine, 'goes on'));
        return true;
      case 'hear-late':
        this.#world.network.hearLate(machine.centre, event.everyMs);
        clock.after(event.ms, () => this.#world.network.hearAtOnce(machine.centre));
        return true;
      case 'set-clock':
        machine.clock.skewMs = event.skewMs;
        return true;
      case 'fail-logger':
        machine.loggerFailsUntilMs = this.#world.nowMs + event.ms;
        return true;
      default:
        throw new Error(`nothing of that kind can befall ${event.name}: ${event.type}`);
    }
  }

  #ambush(machine: Machine, event: Event & { readonly type: 'kill-at-write' | 'lose-write' }): void {
    this.#world.network.ambush(machine.centre, {
      nth: event.nth,
      strike: (arrive) => {
        if (event.type === 'lose-write') {
          machine.registry.faults.loseNextWrite(event.outcome);
          arrive();
          this.#onAftermath(machine, 'lost a write');
          return;
        }
        if (event.when === 'after') arrive();
        this.#kill(machine);
        this.#onAftermath(machine, 'dies');
      },
    });
  }

  #return(machine: Machine): void {
    this.#world.resume(machine);
    this.#onAftermath(machine, 'is reachable again');
  }
}
