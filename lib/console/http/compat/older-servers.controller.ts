import { serverBriefs, serverJobBriefs } from '../../services/compat/older-shapes.js';
import { integer, readQuery } from '../requests.js';
import { type OlderCall } from './older-calls.js';
import { olderController, route, unwrappedRoute } from './older-routes.js';

/** Servers in the form of the consoles of ElasticJob 2 and 3. */
export const OlderServersController = olderController('OlderServersController', 'api/servers', [
  unwrappedRoute('number', 'read', 'GET count', 'The number of servers. Never wrapped.', async ({ registry }) => {
    return serverBriefs(await registry.jobs()).length;
  }),
  route('read', ['GET ', 'GET getAllServersBriefInfo'], 'All servers.', async ({ registry }) => {
    return serverBriefs(await registry.jobs());
  }),
  route('read', 'GET :ip/jobs', 'The jobs of a server.', async ({ registry, params }) => {
    return serverJobBriefs(await registry.jobs(), params.ip);
  }),
  route(
    'operate',
    ['POST :ip/disable', 'POST :ip/jobs/:job/disable'],
    'Disables all jobs of a server, or one.',
    on('disable'),
  ),
  route(
    'operate',
    ['POST :ip/enable', 'POST :ip/jobs/:job/enable', 'DELETE :ip/disable', 'DELETE :ip/jobs/:job/disable'],
    'Enables all jobs of a server, or one. ElasticJob 2 asks by DELETE.',
    on('enable'),
  ),
  route(
    'operate',
    ['POST :ip/shutdown', 'POST :ip/jobs/:job/shutdown'],
    'Ends all jobs of a server, or one, on its instances.',
    on('shutdown'),
  ),
  route(
    'write',
    ['DELETE :ip', 'DELETE :ip/jobs/:job'],
    'Removes a server from all jobs, or from one.',
    on('removeServer'),
  ),
  route('operate', 'POST :ip/:port/jobs/:job/dump', 'Asks an instance of a job on a server for its dump.', (call) => {
    const { ip, job } = call.params;
    const { port } = readQuery(call.params, { port: integer(0, Number.MAX_SAFE_INTEGER) });
    const request = { jobName: job, serverIp: ip, port };
    return call.services.jobs.askForDump(call.registry, request, call.caller);
  }),
]);

function on(what: 'enable' | 'disable' | 'shutdown' | 'removeServer') {
  return ({ services, action, params: { ip, job } }: OlderCall) =>
    services.actions[what](action, { serverIp: ip, jobName: job });
}
