// An instance of the benchmark `moves`.
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { ZookeeperRegistryCenter } from 'nestjs-elasticjob/registry';

/** The job that all instances share. */
export const JOB_NAME = 'moves';

const silent = { debug() {}, log() {}, warn: console.error, error: console.error };

/** One instance with a session of its own. `number` decides how it sorts among the others. */
export class Instance {
  #registryCenter;
  #host;
  #settings;

  static async connected({ serverLists, namespace, number, ...settings }) {
    const instance = new Instance();
    instance.#settings = settings;
    instance.id = `10.0.0.1@-@1-${String(number).padStart(4, '0')}`;
    instance.#registryCenter = new ZookeeperRegistryCenter({ serverLists, namespace });
    instance.#registryCenter.connect();
    await instance.#registryCenter.get('/');
    return instance;
  }

  async join() {
    const registryCenter = this.#registryCenter;
    const identity = { jobInstanceId: this.id, serverIp: '10.0.0.1' };
    this.#host = new JobHost({ registryCenter, instance: identity, logger: silent });
    const configuration = jobConfiguration({ jobName: JOB_NAME, cron: '0 0 0 1 1 ?', ...this.#settings });
    const options = { host: this.#host, jobClassName: 'BenchJob' };
    await new ScheduleJobBootstrap(registryCenter, { execute() {} }, configuration, options).schedule();
  }

  leave() {
    return this.#host.stop();
  }

  close() {
    return this.#registryCenter.close();
  }
}
