import { isMap } from '../../../api/text/describe-value.js';
import { wording } from '../../../wording/wording.js';
import { jobBriefs, olderSettings, settingsOfOlder, shardBriefs } from '../../services/compat/older-shapes.js';
import { findJob, requireReadable } from '../../services/jobs/live-lookup.js';
import { badRequest, integer, readQuery } from '../requests.js';
import { type OlderCall } from './older-calls.js';
import { olderController, route, unwrappedRoute } from './older-routes.js';

/** Jobs in the form of the consoles of ElasticJob 2 and 3. */
export const OlderJobsController = olderController('OlderJobsController', 'api/jobs', [
  unwrappedRoute('number', 'read', 'GET count', 'The number of jobs. Never wrapped.', async ({ registry }) => {
    return jobBriefs(await registry.jobs()).length;
  }),
  route('read', ['GET ', 'GET getAllJobsBriefInfo'], 'All jobs.', async ({ registry }) => {
    return jobBriefs(await registry.jobs());
  }),
  route('read', 'GET config/:job', 'The settings of a job.', async ({ services, registry, params }) => {
    return olderSettings((await services.configurations.read(registry, params.job)).configuration);
  }),
  route('write', 'PUT config', 'Stores the settings of a job, without a check of the stored version.', store),
  route('write', 'DELETE config/:job', 'Removes a job, and ends its living instances first.', async (call) => {
    // Scripts for ElasticJob's own consoles also remove running jobs.
    await call.services.actions.removeJob(call.action, call.params.job, { living: true });
  }),
  route(
    'operate',
    ['POST :job/trigger', 'GET :job/trigger'],
    'Makes all instances of a job run their items once. By GET, as the oldest scripts ask, if the settings allow that.',
    async ({ services, action, params }) => {
      await services.actions.trigger(action, params.job, {});
    },
  ),
  route(
    'operate',
    ['POST :job/disable', 'GET :job/disable'],
    'Disables a job on all of its servers. By GET, as the oldest scripts ask, if the settings allow that.',
    switchTo('disable'),
  ),
  route(
    'operate',
    ['POST :job/enable', 'DELETE :job/disable'],
    'Enables a job on all of its servers. ElasticJob 2 asks by DELETE.',
    switchTo('enable'),
  ),
  route(
    'operate',
    ['POST :job/shutdown', 'PUT :job/shutdown'],
    'Ends all instances of a job. The oldest scripts ask by PUT.',
    switchTo('shutdown'),
  ),
  route('read', 'GET :job/sharding', 'The items of a job.', async ({ registry, params }) => {
    const { job } = await findJob(registry, params.job);
    requireReadable(job);
    return shardBriefs(job);
  }),
  route(
    'operate',
    'POST :job/sharding/:item/disable',
    'Excludes an item from the firings of its job.',
    setItem('disable'),
  ),
  route(
    'operate',
    ['POST :job/sharding/:item/enable', 'DELETE :job/sharding/:item/disable'],
    'Lets an item fire again. ElasticJob 2 asks by DELETE.',
    setItem('enable'),
  ),
]);

async function store({ services: { configurations }, action }: OlderCall, body: unknown): Promise<void> {
  if (!isMap(body) || typeof body['jobName'] !== 'string') throw badRequest('jobName', wording('job-needed'));
  const { jobName } = body;
  const { version } = await configurations.read(action.registry, jobName);
  await configurations.write(action, jobName, settingsOfOlder(body), version);
}

function switchTo(what: 'enable' | 'disable' | 'shutdown') {
  return ({ services, action, params }: OlderCall) => services.actions[what](action, { jobName: params.job });
}

function setItem(state: 'enable' | 'disable') {
  return ({ services, action, params }: OlderCall) => {
    const { item } = readQuery(params, { item: integer(0, 2_147_483_647) });
    return services.actions.setItem(action, params.job, item, state);
  };
}
