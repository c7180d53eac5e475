/** Judges histories of several jobs: each job by the rules of its kind, and the rounds of their graph. */
import { type History, FIRST_JOB } from '../history.js';
import { type Fault, RULES } from '../oracle.js';
import { type Recording } from '../recording.js';
import { GraphEvidence } from './graph-evidence.js';
import { earlyRounds, forbiddenRounds, missedRounds, recordedRounds, unorderedRounds } from './oracle-rounds.js';

/** The rules of graphs by their names. */
export const GRAPH_RULES: Readonly<Record<string, (graph: GraphEvidence) => readonly string[]>> = {
  unorderedRounds,
  earlyRounds,
  forbiddenRounds,
  missedRounds,
  recordedRounds,
};

/** Rules that judge by the job's own schedule: a job that was blocked runs the rounds that it has missed later. */
const OF_SCHEDULES = ['missedFirings', 'unquietFirings', 'quietCalls', 'returnedItems'];

/** Rules that need only be asked once, as they judge what all jobs of an instance share. */
const OF_INSTANCES = ['endless', 'unhandled', 'requests'];

/** Everything that is wrong with a history of several jobs as it was played. */
export function judgeGraph(history: History, recording: Recording): readonly Fault[] {
  const graph = new GraphEvidence(history, recording);
  const { successors } = graph;
  const ofJobs = [...graph.jobs].flatMap(([name, evidence]) =>
    Object.entries(RULES)
      .filter(([rule]) => name === FIRST_JOB || !OF_INSTANCES.includes(rule))
      .filter(([rule]) => !successors.includes(name) || !OF_SCHEDULES.includes(rule))
      .filter(([rule]) => rule !== 'unrest' || !graph.isRefused(name))
      .flatMap(([rule, find]) => find(evidence).map((text) => ({ rule, text: `${name}: ${text}` }))),
  );
  const ofRounds = Object.entries(GRAPH_RULES).flatMap(([rule, find]) => find(graph).map((text) => ({ rule, text })));
  return [...ofJobs, ...ofRounds];
}
