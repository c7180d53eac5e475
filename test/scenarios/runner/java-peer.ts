import { instanceYaml, jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { type Perform } from './commands.js';
import { type Stage } from './stage.js';

/**
 * Instances as Java peers are seen by others: registered, without a record of what they begin, and doing only what a
 * scenario says. They never lead.
 */
class JavaPeer {
  readonly session: string;
  readonly id: string;
  readonly #stage: Stage;
  readonly #ip: string;

  constructor(stage: Stage, name: string) {
    this.#stage = stage;
    this.session = `java ${name}`;
    this.#ip = `10.0.0.${name.charCodeAt(0)}`;
    this.id = jobInstanceOn(this.#ip, '4711').jobInstanceId;
    stage.strangers.set(this.session, name).set(this.id, name);
    stage.servers.set(this.#ip, name);
  }

  join(): void {
    const { registry } = this.#stage;
    const paths = this.#stage.pathsOf();
    registry.put(this.session, paths.server(this.#ip), 'ENABLED');
    registry.create(
      this.session,
      paths.instance(this.id),
      instanceYaml({ jobInstanceId: this.id, serverIp: this.#ip }),
      'session',
    );
  }

  /** With failover its marks outlive it, as Java's do. */
  begin(items: readonly number[]): void {
    const { registry } = this.#stage;
    const lifetime = this.#stage.viewOf().config?.failover === true ? 'persistent' : 'session';
    for (const item of items)
      registry.create(this.session, this.#stage.pathsOf().item(item, 'running'), this.id, lifetime);
  }

  end(items: readonly number[]): void {
    const { registry } = this.#stage;
    const paths = this.#stage.pathsOf();
    for (const item of items)
      for (const mark of ['running', 'failover', 'failovering'] as const)
        registry.remove(this.session, paths.item(item, mark));
  }

  /** Reports a crash for each item of an instance that goes while it runs them. */
  report(items: readonly number[]): void {
    const { registry } = this.#stage;
    const paths = this.#stage.pathsOf();
    for (const item of items) {
      registry.create(this.session, paths.crashedItem(item), '');
      registry.remove(this.session, paths.item(item, 'running'));
    }
  }

  takeOver(items: readonly number[]): void {
    const { registry } = this.#stage;
    const paths = this.#stage.pathsOf();
    for (const item of items) {
      registry.create(this.session, paths.item(item, 'failover'), this.id, 'session');
      registry.create(this.session, paths.item(item, 'failovering'), this.id);
      registry.remove(this.session, paths.crashedItem(item));
    }
  }

  /** The first half of what it does after each broken connection; to join again is the other. Its session goes on. */
  vanish(): void {
    const { registry } = this.#stage;
    registry.remove(this.session, this.#stage.pathsOf().instance(this.id));
  }

  die(): void {
    this.#stage.lost.add(this.session);
    this.#stage.registry.removeSessionNodes(this.session);
  }
}

const peers = new WeakMap<Stage, Map<string, JavaPeer>>();

function peer(stage: Stage, name = ''): JavaPeer {
  const known = peers.get(stage) ?? new Map<string, JavaPeer>();
  peers.set(stage, known);
  const found = known.get(name) ?? new JavaPeer(stage, name);
  known.set(name, found);
  return found;
}

export const JAVA_COMMANDS: Readonly<Record<string, Perform>> = {
  'java-join': (stage, { words: [name] }) => peer(stage, name).join(),
  'java-begin': (stage, { words: [name, ...items] }) => peer(stage, name).begin(items.map(Number)),
  'java-end': (stage, { words: [name, ...items] }) => peer(stage, name).end(items.map(Number)),
  'java-report': (stage, { words: [name, ...items] }) => peer(stage, name).report(items.map(Number)),
  'java-take-over': (stage, { words: [name, ...items] }) => peer(stage, name).takeOver(items.map(Number)),
  'java-vanish': (stage, { words: [name] }) => peer(stage, name).vanish(),
  'java-die': (stage, { words: [name] }) => peer(stage, name).die(),
};
