import { type Perform } from './commands.js';
import { timeOf } from './chronicle.js';
import { type Stage } from './stage.js';

type Show = (stage: Stage) => readonly string[];

const SHOWS: Readonly<Record<string, Show>> = {
  owners: (stage) =>
    stage.jobs.map(({ jobName }) => {
      const view = stage.viewOf(jobName);
      const items = view.items.map(
        ({ item, owner }) => `${item}→${owner === undefined ? 'nobody' : stage.nameOf(owner)}`,
      );
      const leader = view.leader === undefined ? 'nobody' : stage.nameOf(view.leader);
      return `${stage.jobs.length > 1 ? `${jobName}: ` : ''}leader ${leader} · items ${items.join(' ')}`;
    }),
  tree: (stage) =>
    stage.jobs.flatMap(({ jobName }) => {
      const { root } = stage.pathsOf(jobName);
      return [...stage.registry.subtree(root)]
        .filter(([path]) => path !== `${root}/config`)
        .map(([path, { value }]) =>
          stage.readable(`${path.slice(1)}${value === '' ? '' : ` = ${readableValue(path, value)}`}`),
        )
        .sort();
    }),
  log: (stage) => {
    const lines = stage.log.splice(0);
    return lines.length === 0 ? ['nothing was logged'] : lines.map((line) => `log of ${line}`);
  },
  requests: (stage) => {
    const counts = [...stage.cluster.members.keys()].map((name) => `${name} ${stage.network.takeRequests(name)}`);
    return [`requests: ${counts.join(' · ')}`];
  },
  running: (stage) => [`in progress: ${[...stage.work.open].sort().join(' ') || 'nothing'}`],
};

/**
 * Records of firings are shown with times of day instead of milliseconds; the text of an instance is left out, as its
 * node shows it.
 */
function readableValue(path: string, value: string): string {
  if (path.includes('/instances/')) return 'an instance';
  const text = value.trim().replaceAll('\n', ', ');
  return path.includes('/x-node/fired/') ? text.replace(/\d{13}/g, (ms) => timeOf(Number(ms))) : text;
}

export const SHOW_COMMANDS: Readonly<Record<string, Perform>> = {
  show: (stage, { words: [what = ''], line }) => {
    const show = SHOWS[what];
    if (show === undefined) throw new Error(`There is nothing called '${what}' to show, in: ${line}`);
    for (const text of show(stage)) stage.chronicle.show(text);
  },
};
