/** The content of a task id: the job, the items and the instance of one firing. */
export interface Task {
  readonly jobName: string;
  readonly items: readonly number[];
  /** `{ip}@-@{suffix}` */
  readonly jobInstanceId: string;
}

/** `{job}@-@{items}@-@READY@-@{instance}`, as Java has it in traces and in the sharding context. */
export function taskId({ jobName, items, jobInstanceId }: Task): string {
  return [jobName, items.join(','), EXECUTION_TYPE, jobInstanceId].join(DELIMITER);
}

/** The inverse of `taskId`; `undefined` if `text` does not have Java's five parts. */
export function parseTaskId(text: string): Task | undefined {
  const [jobName, items, type, ip, suffix, ...rest] = text.split(DELIMITER);
  if (!jobName || items === undefined || !type || !ip || !suffix || rest.length > 0) return undefined;
  if (!/^(?:\d+(?:,\d+)*)?$/.test(items)) return undefined;
  return {
    jobName,
    items: items === '' ? [] : items.split(',').map(Number),
    jobInstanceId: `${ip}${DELIMITER}${suffix}`,
  };
}

/** Java knows FAILOVER too, but never writes it. */
const EXECUTION_TYPE = 'READY';

const DELIMITER = '@-@';
