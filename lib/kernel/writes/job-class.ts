/**
 * The text of a job's root node, by which instances recognise that they run the same job (Java: its class name, or its
 * type).
 *
 * ```
 *   the instance has                        it stores         it accepts
 *   jobClassName, a Java class, or a type   that text         only that text, as Java does
 *   none of these: a Node job               the job's name    the job's name, and the class name that a former version stored
 * ```
 * Names of Node classes decide nothing: they change with each refactoring and each minified build. A former class name
 * is left as it is, so that instances of a former version, which compare it when they start, can join during an upgrade
 * and after a rollback.
 */
import { JobConflictError } from '../../api/errors/errors.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { type JobDefinition } from '../job/job-definition.js';

/**
 * The types of jobs without class that Java ElasticJob brings along; no version of this library stored them as class
 * names.
 */
const JAVA_TYPES: ReadonlySet<string> = new Set(['SIMPLE', 'DATAFLOW', 'SCRIPT', 'HTTP']);

/** The text that this instance stores if the job's root node has none. */
export function ownJobClass({ jobClassName, configuration }: JobDefinition): string {
  return jobClassName ?? configuration.jobName;
}

/**
 * Compares the stored text with that of this instance. A root node without text is a job that is still being set up.
 * @param nodes the paths of all nodes of the job
 * @throws JobConflictError if another job has the name, naming both
 */
export function requireSameJob(
  { jobClass: stored, javaPeers }: Pick<JobView, 'jobClass' | 'javaPeers'>,
  { paths, nodes }: { readonly paths: JobPaths; readonly nodes: Iterable<string> },
  definition: JobDefinition,
): void {
  const own = ownJobClass(definition);
  if (stored === undefined || stored === own) return;
  const mayBeFormer = definition.jobClassName === undefined && javaPeers.size === 0 && !isJavas(stored);
  if (mayBeFormer && isKnownToNode(nodes, paths)) return;
  throw new JobConflictError(
    `Job conflict with register center. The job '${paths.jobName}' in register center's class is '${stored}', ` +
      `your job class is '${own}' (${definition.owner}). ${cure(stored, definition)}`,
  );
}

/** True if a text can only be that of a Java job: a class name with its package, a lambda, or a type. */
function isJavas(text: string): boolean {
  return text.includes('.') || text.includes('$$Lambda') || JAVA_TYPES.has(text);
}

/** True if an instance of this library has run the job. Java instances have no nodes of that kind. */
function isKnownToNode(nodes: Iterable<string>, { own }: JobPaths): boolean {
  for (const path of nodes) if (path === own || path.startsWith(`${own}/`)) return true;
  return false;
}

function cure(stored: string, { jobClassName, configuration: { jobName } }: JobDefinition): string {
  if (stored === jobName && jobClassName !== undefined)
    return (
      `The former is that of a Node job without jobClassName. If they are the same job, leave jobClassName out, or, ` +
      `if Java instances are to join, stop all instances and set the text of the job's root node to '${jobClassName}'. Otherwise rename one of them.`
    );
  return `Set jobClassName to the former if they are the same job, or rename one of them.`;
}
