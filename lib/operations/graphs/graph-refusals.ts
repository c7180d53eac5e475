import { JobStateError } from '../../api/errors/errors.js';
import { pausedSince } from '../../graphs/graph-acts.js';
import { hasJavaPeers } from '../../layout/job-view.js';
import { type ReadGraph } from './graph-reading.js';

/**
 * Refuses to begin a round that could not run.
 * @param jobs the jobs that would run
 * @throws JobStateError if the graph is paused, if a root has no living instance, or if Java instances take part
 */
export function refuseGraph({ graph, views }: ReadGraph, jobs: readonly string[]): void {
  const { name, roots } = graph;
  const since = pausedSince(views);
  if (since !== undefined)
    throw new JobStateError(
      `Graph '${name}' is paused since ${new Date(since).toISOString()}, and begins nothing. Resume it first.`,
      { because: { code: 'graph-paused', values: { graph: name } } },
    );
  const unowned = jobs.filter((job) => roots.includes(job) && (views.get(job)?.instances.size ?? 0) === 0);
  if (unowned.length > 0)
    throw new JobStateError(
      `Graph '${name}' was not triggered: no instance of job ${unowned.map((job) => `'${job}'`).join(', ')} lives.`,
      { because: { code: 'no-instance-lives', values: { jobName: unowned.join(', ') } } },
    );
  const java = jobs.filter((job) => {
    const view = views.get(job);
    return view !== undefined && hasJavaPeers(view);
  });
  if (java.length > 0)
    throw new JobStateError(
      `Graph '${name}' was not triggered: Java instances take part in job ${java.map((job) => `'${job}'`).join(', ')}. They ` +
        'write down no ends, so that the round would never be complete. Run the job on Node instances alone.',
      { because: { code: 'java-takes-part', values: { jobName: java.join(', '), instances: '' } } },
    );
}
