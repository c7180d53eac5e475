import { jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { type Duration } from '../../../lib/testing/durations.js';
import { type Command } from './scenario-file.js';
import { jobSettings, list } from './settings.js';
import { OPERATOR, type Stage } from './stage.js';
import { JAVA_COMMANDS } from './java-peer.js';
import { SHOW_COMMANDS } from './shows.js';

/** Carries out a command; what follows from it at once is awaited by who calls this. */
export type Perform = (stage: Stage, command: Command) => void | Promise<void>;

const each =
  (perform: (stage: Stage, name: string) => void | Promise<void>): Perform =>
  async (stage, { words }) => {
    // In their order, each at rest before the next, so that a scenario reads from left to right.
    for (const name of words) {
      await perform(stage, name);
      await stage.settle();
    }
  };

const MEMBERS: Readonly<Record<string, Perform>> = {
  join: async (stage, { words, settings, line }) => {
    const [server] = list(settings.get('on'));
    const changes = jobSettings({ line, verb: '', words: [], settings }, ['on']);
    for (const name of words) await stage.join(name, changes, server);
  },
  leave: each((stage, name) => stage.cluster.leave(name)),
  kill: each((stage, name) => stage.lose(name)),
  cut: (stage, { words: [name = '', direction] }) => stage.cut(name, direction),
  heal: each((stage, name) => stage.cluster.heal(name)),
  suspend: each((stage, name) => stage.cluster.member(name).registry.faults.disconnect()),
  resume: each((stage, name) => stage.cluster.member(name).registry.faults.resume()),
  expire: each((stage, name) => stage.cluster.expire(name)),
  freeze: each((stage, name) => stage.freeze(name)),
  thaw: each((stage, name) => stage.thaw(name)),
  skew: (stage, { words: [name = '', by] }) => stage.cluster.skew(name, by as Duration),
  'kill-at-write': (stage, { words: [name = '', write, when] }) => {
    const die = (): void => stage.lose(name);
    stage.atWrite(name, Number(write), (what) => {
      stage.chronicle.say(`${name} was killed ${when} its write: ${what}`);
      if (when === 'after') return die;
      die();
      return undefined;
    });
  },
  'lose-answer': (stage, { words: [name = '', write, outcome] }) => {
    const isApplied = outcome === 'applied';
    stage.atWrite(name, Number(write), (what) => {
      stage.chronicle.say(
        `the answer to ${name}'s write was lost, ${isApplied ? 'which' : 'and it'} was ${isApplied ? '' : 'not '}carried out: ${what}`,
      );
      stage.cluster.member(name).registry.faults.loseNextWrite(isApplied ? 'applied' : 'not-applied');
      return undefined;
    });
  },
};

const OPERATORS: Readonly<Record<string, Perform>> = {
  disable: each((stage, name) => putServer(stage, name, 'DISABLED')),
  enable: each((stage, name) => putServer(stage, name, 'ENABLED')),
  'disable-item': (stage, { words, settings }) => {
    for (const item of words)
      stage.registry.put(OPERATOR, stage.pathsOf(settings.get('job')).item(Number(item), 'disabled'), '');
  },
  'enable-item': (stage, { words, settings }) => {
    for (const item of words)
      stage.registry.remove(OPERATOR, stage.pathsOf(settings.get('job')).item(Number(item), 'disabled'));
  },
  reconfigure: (stage, command) => {
    const paths = stage.pathsOf(command.settings.get('job'));
    const { config } = stage.viewOf(paths.jobName);
    if (config === undefined) throw new Error(`${paths.jobName} has no configuration`);
    stage.registry.put(
      OPERATOR,
      paths.config,
      toYaml(jobConfiguration({ ...config, ...jobSettings(command, ['job']) })),
    );
  },
  trigger: (stage, { words, settings }) => {
    const paths = stage.pathsOf(settings.get('job'));
    const all = [...stage.viewOf(paths.jobName).instances.keys()];
    const ids = words.length === 0 ? all : words.map((name) => stage.cluster.idOf(name));
    for (const id of ids) stage.registry.create(OPERATOR, paths.trigger(id), '');
  },
  'operator-remove': each(
    (stage, name) => void stage.registry.remove(OPERATOR, stage.pathsOf().instance(stage.cluster.idOf(name))),
  ),
  'remove-server': each(
    (stage, name) => void stage.registry.remove(OPERATOR, stage.pathsOf().server(stage.cluster.ipOf(name))),
  ),
  plant: (stage, { words: [path = ''], settings }) => {
    const [value = ''] = [...settings].map(([key, text]) => (key === 'value' ? text : ''));
    stage.registry.put(OPERATOR, stage.absolute(path), stage.filled(value));
  },
  remove: (stage, { words }) => {
    for (const path of words)
      if (!stage.registry.remove(OPERATOR, stage.absolute(path))) throw new Error(`There is no ${path} to remove`);
  },
};

const TIME: Readonly<Record<string, Perform>> = {
  fire: async (stage, { settings }) => {
    stage.work.hold(list(settings.get('hold')));
    stage.work.fail(list(settings.get('throw')));
    await stage.cluster.fire();
  },
  hold: (stage, { words }) => stage.work.hold(words),
  release: (stage, { words }) => stage.work.release(words),
  throw: (stage, { words }) => stage.work.fail(words),
  advance: (stage, { words: [duration] }) => stage.cluster.advance(duration as Duration),
  settle: () => undefined,
};

const COMMANDS: Readonly<Record<string, Perform>> = {
  ...MEMBERS,
  ...OPERATORS,
  ...TIME,
  ...JAVA_COMMANDS,
  ...SHOW_COMMANDS,
};

/** @throws Error if there is no such command, or it cannot be carried out */
export async function perform(stage: Stage, command: Command): Promise<void> {
  const carryOut = COMMANDS[command.verb];
  if (carryOut === undefined) throw new Error(`There is no command '${command.verb}', in: ${command.line}`);
  await carryOut(stage, command);
  await stage.settle();
  stage.chronicle.pause();
}

function putServer(stage: Stage, name: string, status: string): void {
  for (const { jobName } of stage.jobs)
    stage.registry.put(OPERATOR, stage.pathsOf(jobName).server(stage.cluster.ipOf(name)), status);
}
