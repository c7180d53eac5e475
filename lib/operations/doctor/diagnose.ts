import { type JobCase, type Symptom } from './finding.js';
import { ITEM_CHECKS } from './item-checks.js';
import { JOB_CHECKS } from './job-checks.js';

/** Finds the problems of a job: a pure function of its nodes. */
export function diagnose(job: JobCase): readonly Symptom[] {
  // It was removed while it was being read.
  if (job.nodes.size === 0) return [];
  return [...JOB_CHECKS, ...ITEM_CHECKS].flatMap((check) => check(job));
}
