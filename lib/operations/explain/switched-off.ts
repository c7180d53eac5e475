import { type Explanation } from './explanation.js';

const ELSEWHERE = 'Other applications may run the job; this one does not know.';

/** The answer of an application in which ElasticJob is switched off. */
export function switchedOff(asked: Pick<Explanation, 'jobName' | 'item' | 'instant' | 'at'>): Explanation {
  return {
    ...asked,
    reason: {
      ...{ type: 'switched-off', items: [], holds: 'now' },
      sentence:
        'ElasticJob is switched off in this application, as elasticjob.enabled is false: it runs no job and reads no registry centre.',
      cure: 'Remove ELASTICJOB_ENABLED=false, or set elasticjob.enabled to true, and start the application again.',
      ...{ code: 'switched-off', values: {}, remedy: { code: 'switch-on', command: undefined } },
    },
    others: [],
    unknown: [ELSEWHERE],
    limits: [{ code: 'other-applications', values: {}, sentence: ELSEWHERE }],
  };
}
