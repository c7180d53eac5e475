import { type JobConfiguration } from '../../api/job/job-configuration.js';

/** How the firings of a job get along with one another. */
export interface RunPolicy {
  /**
   * `by-item`: a run may begin while others go on, with the items that are free, so that a slow item keeps no other from
   * its next firing. `never`: one run ends before the next begins.
   */
  readonly overlap: 'by-item' | 'never';
  /** What becomes of a firing whose items still run: it is run once they have ended, or it is dropped (manual, `misfire`). */
  readonly missed: 'recover' | 'drop';
}

/** The policy that a job's settings ask for. Listeners see one firing after the other, as in Java, so they exclude overlap. */
export function runPolicyOf({ jobListenerTypes, misfire }: JobConfiguration): RunPolicy {
  return { overlap: jobListenerTypes.length === 0 ? 'by-item' : 'never', missed: misfire ? 'recover' : 'drop' };
}
