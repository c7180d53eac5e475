import {
  type GraphBriefInfo,
  type GraphInfo,
  type GraphNodeInfo,
  type GraphRound,
  type GraphRoundState,
  type NodeRound,
  type NodeState,
} from '../../operations/graphs/graph-infos.js';
import { JobGraphAPI } from '../../operations/job-graph-api.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Tone } from '../terminal/style.js';
import { type Column } from '../terminal/table.js';

/** `graphs`: all graphs of jobs that run after others. */
export async function graphs(invocation: Invocation): Promise<ExitCode> {
  const registry = await invocation.registry();
  const rows = await new JobGraphAPI(registry).graphs();
  const empty = `No job in ${registry.fullPath('/')} runs after another one.`;
  invocation.output.list({ rows, columns: GRAPH_COLUMNS, empty }, rows);
  return EXIT.done;
}

/** `graph <name> [instant]`: the jobs of a graph, as a tree, each with its state in the latest round or in that one. */
export async function graph(invocation: Invocation, name: string, instant: Date | undefined): Promise<ExitCode> {
  const { output } = invocation;
  const api = new JobGraphAPI(await invocation.registry());
  const info = await api.graph(name);
  const round = instant === undefined ? (await api.rounds(name, { limit: 1 }))[0] : await api.round(name, instant);
  if (output.isJson) output.json({ ...info, round });
  else {
    output.text(`${headline(info, round)}\n`);
    output.list({ rows: treeOf(info, round), columns: NODE_COLUMNS, empty: '' }, undefined);
    for (const { jobName, problems } of info.nodes)
      for (const problem of problems) output.note(`Job '${jobName}': ${problem}`);
  }
  return EXIT.done;
}

const GRAPH_COLUMNS: readonly Column<GraphBriefInfo>[] = [
  { title: 'GRAPH', text: ({ name }) => name },
  { title: 'JOBS', text: ({ jobs }) => String(jobs.length), align: 'right' },
  { title: 'ROOTS', text: ({ roots }) => roots.join(', ') },
  { title: 'LAST ROUND', text: ({ lastRound }) => lastRound?.instant.toISOString() ?? '-' },
  { title: 'STATE', text: stateOf, tone: ({ lastRound }) => lastRound && toneOfRound(lastRound.state) },
  {
    title: 'PROBLEMS',
    text: ({ problemCount }) => (problemCount === 0 ? '' : String(problemCount)),
    tone: () => 'bad',
  },
];

function stateOf({ isPaused, lastRound }: GraphBriefInfo): string {
  return [lastRound?.state ?? '-', ...(isPaused ? ['paused'] : [])].join(', ');
}

function headline({ name, pausedSince, timeoutMs }: GraphInfo, round: GraphRound | undefined): string {
  const facts = [
    ...(round === undefined ? ['no round yet'] : [`round ${round.instant.toISOString()} ${round.state}`]),
    ...(round?.cause === 'again' ? [`again for ${round.scheduledAt.toISOString()}`] : []),
    ...(round?.cause === 'manual' ? ['triggered'] : []),
    ...(pausedSince === undefined ? [] : [`paused since ${pausedSince.toISOString()}`]),
    ...(timeoutMs === undefined ? [] : [`time limit ${timeoutMs} ms`]),
  ];
  return `Graph ${name}: ${facts.join(', ')}`;
}

/** A job in the tree, with its state in the round. */
interface TreeRow {
  readonly indent: number;
  readonly info: GraphNodeInfo;
  readonly node: NodeRound | undefined;
}

/** The jobs level by level. A job of several upstream jobs stands once, below the deepest of them. */
function treeOf({ nodes, edges }: GraphInfo, round: GraphRound | undefined): readonly TreeRow[] {
  const states = new Map(round?.nodes.map((node) => [node.jobName, node]));
  const rows: TreeRow[] = [];
  const parentOf = (info: GraphNodeInfo): string | undefined => {
    const above = edges.filter(({ to }) => to === info.jobName).map(({ from }) => from);
    return nodes.findLast(({ jobName, level }) => above.includes(jobName) && level < info.level)?.jobName;
  };
  const add = (info: GraphNodeInfo): void => {
    rows.push({ indent: info.level, info, node: states.get(info.jobName) });
    for (const each of nodes) if (parentOf(each) === info.jobName) add(each);
  };
  for (const info of nodes) if (parentOf(info) === undefined) add(info);
  return rows;
}

const NODE_COLUMNS: readonly Column<TreeRow>[] = [
  {
    title: 'JOB',
    text: ({ indent, info }) => `${indent === 0 ? '' : `${'   '.repeat(indent - 1)}└▶ `}${info.jobName}`,
  },
  { title: 'STATE', text: ({ node }) => node?.state ?? '-', tone: ({ node }) => node && toneOfNode(node.state) },
  { title: 'ITEMS', text: ({ node, info }) => `${node?.items.ended ?? 0}/${info.shardingTotalCount}`, align: 'right' },
  { title: 'SINCE', text: ({ node }) => node?.since?.toISOString() ?? '' },
  { title: '', text: remark },
];

function remark({ info, node }: TreeRow): string {
  const { dependencies, exists } = info;
  return [
    ...(exists ? [] : ['there is no such job']),
    ...(node?.state === 'waiting' && node.waitingFor.length > 0 ? [`waits for ${node.waitingFor.join(', ')}`] : []),
    ...(node !== undefined && node.failedItems.length > 0 ? [`failed: ${node.failedItems.join(', ')}`] : []),
    ...(node?.isCarried === true ? ['not run again'] : []),
    ...(node?.madeUpBy === undefined ? [] : [`made up for in ${node.madeUpBy.toISOString()}`]),
    ...(node?.state !== 'waiting' && (dependencies?.after.length ?? 0) > 1
      ? [`after ${dependencies?.after.join(', ')}`]
      : []),
  ].join('; ');
}

function toneOfNode(state: NodeState): Tone | undefined {
  switch (state) {
    case 'waiting':
      return undefined;
    case 'running':
      return 'busy';
    case 'succeeded':
      return 'good';
    case 'failed':
      return 'bad';
    case 'stopped':
      return 'doubtful';
    case 'skipped':
      return 'faint';
    default:
      return state satisfies never;
  }
}

function toneOfRound(state: GraphRoundState): Tone | undefined {
  return toneOfNode(state);
}
