import { expect, test } from '@jest/globals';
import { isReady, type JobHealth, jobHealth, type JobSituation } from '../../../../lib/kernel/life/job-health.js';
import { type Obstacle } from '../../../../lib/kernel/view/obstacles.js';

const CONNECTED: JobSituation['session'] = { state: { phase: 'connected', id: '1' } };
const SUSPENDED: JobSituation['session'] = { state: { phase: 'suspended', id: '1' } };
const REFUSED: JobSituation['session'] = { state: { phase: 'connecting' }, reason: 'zk:2181 refuses connections' };

function obstacle(effect: Obstacle['effect']): Obstacle {
  return { key: 'k', effect, graceMs: 0, reason: `it is ${effect}`, ending: '' };
}

test.each<[health: JobHealth, ready: boolean, situation: Partial<JobSituation> & Pick<JobSituation, 'state'>]>([
  [{ state: 'created', reason: 'it has not been started' }, true, { state: { phase: 'created' } }],
  [{ state: 'starting', reason: 'it is being registered' }, false, { state: { phase: 'starting' } }],
  [
    { state: 'starting', reason: 'the registry centre cannot be used: zk:2181 refuses connections' },
    false,
    { state: { phase: 'starting' }, session: REFUSED },
  ],
  [
    { state: 'starting', reason: 'it could not be registered, and tries again: too large' },
    false,
    { state: { phase: 'starting' }, registrationFailure: 'too large' },
  ],
  [{ state: 'active' }, true, { state: { phase: 'active' } }],
  [{ state: 'blocked', reason: 'it is blocked' }, false, { state: { phase: 'active' }, obstacle: obstacle('blocked') }],
  [
    { state: 'impaired', reason: 'it is impaired' },
    true,
    { state: { phase: 'active' }, obstacle: obstacle('impaired') },
  ],
  [
    { state: 'disabled', reason: 'it is disabled' },
    true,
    { state: { phase: 'active' }, obstacle: obstacle('disabled') },
  ],
  [
    { state: 'suspended', reason: 'the registry centre cannot be used: its session is suspended' },
    false,
    { state: { phase: 'active' }, session: SUSPENDED, obstacle: obstacle('blocked') },
  ],
  [
    {
      state: 'suspended',
      reason: 'the connection is back, and the job goes on as soon as it has ended what it was doing when that broke',
    },
    false,
    { state: { phase: 'active' }, isPaused: true, obstacle: obstacle('blocked') },
  ],
  [{ state: 'suspended', reason: 'it is being registered' }, false, { state: { phase: 'suspended' } }],
  [{ state: 'failed', reason: 'no such file' }, false, { state: { phase: 'starting' }, startFault: 'no such file' }],
  [{ state: 'stopping', reason: 'it ends' }, true, { state: { phase: 'stopping', why: 'it ends' } }],
  [
    { state: 'stopped', reason: 'it ended' },
    true,
    { state: { phase: 'stopped', end: { type: 'stopped', why: 'it ended' } } },
  ],
  [{ state: 'ended', reason: 'by X' }, true, { state: { phase: 'stopped', end: { type: 'ended', why: 'by X' } } }],
  [{ state: 'removed', reason: 'gone' }, false, { state: { phase: 'stopped', end: { type: 'removed', why: 'gone' } } }],
  [
    { state: 'failed', reason: 'a conflict' },
    false,
    { state: { phase: 'stopped', end: { type: 'failed', why: 'a conflict', failure: new Error('a conflict') } } },
  ],
])('%j: ready is %p', (health, ready, situation) => {
  const found = jobHealth({
    ...{
      session: CONNECTED,
      isPaused: false,
      obstacle: undefined,
      registrationFailure: undefined,
      startFault: undefined,
    },
    ...situation,
  });

  expect(found).toEqual(health);
  expect(isReady(found)).toBe(ready);
});
