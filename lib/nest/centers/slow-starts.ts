import { DEFAULT_REG_CENTER } from '../../settings/reg-center-names.js';
import { type JobHost } from '../../kernel/job-host.js';
import { type JobHosts } from './job-hosts.js';

/** The reasons why jobs are not registered yet, one sentence for each registry centre. */
export function whySlow(hosts: JobHosts | undefined): readonly string[] {
  return [...(hosts?.byName ?? [])].flatMap(([name, host]) => whySlowOn(name, host));
}

function whySlowOn(name: string, { registryCenter, jobs }: JobHost): readonly string[] {
  const starting = [...jobs.values()].filter(({ phase }) => phase === 'starting').map(({ jobName }) => jobName);
  if (starting.length === 0) return [];
  if (registryCenter.session.state.phase === 'connected')
    return [
      `These jobs are not registered yet: ${starting.join(', ')}. The application goes on booting; they start as soon as they are.`,
    ];
  return name === DEFAULT_REG_CENTER
    ? ['The registry centre has not answered yet. The application goes on booting; jobs start as soon as it answers.']
    : [
        `The registry centre '${name}' has not answered yet. The application goes on booting; its jobs start as soon as it answers: ${starting.join(', ')}.`,
      ];
}
