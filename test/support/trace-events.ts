import { type JobExecutionEvent, type JobStatusTraceEvent } from '../../lib/api/events/trace-events.js';

/** The start of an item. */
export function started(id: string, fields: Partial<JobExecutionEvent> = {}): JobExecutionEvent {
  return {
    type: 'execution',
    id,
    hostname: 'host-1',
    ip: '10.0.0.1',
    taskId: 'orders@-@0,1@-@READY@-@10.0.0.1@-@7',
    jobName: 'orders',
    source: 'NORMAL_TRIGGER',
    shardingItem: 0,
    startTime: new Date(2030, 0, 31, 23, 59, 58, 120),
    completeTime: undefined,
    success: false,
    failureCause: undefined,
    ...fields,
  };
}

/** The end of an item: with success, unless there is a `failureCause`. */
export function completed(id: string, fields: Partial<JobExecutionEvent> = {}): JobExecutionEvent {
  const success = fields.failureCause === undefined;
  return { ...started(id), completeTime: new Date(2030, 0, 31, 23, 59, 59, 340), success, ...fields };
}

/** A change of the state of a run. */
export function status(id: string, fields: Partial<JobStatusTraceEvent> = {}): JobStatusTraceEvent {
  return {
    type: 'status',
    id,
    jobName: 'orders',
    originalTaskId: '',
    taskId: 'orders@-@0,1@-@READY@-@10.0.0.1@-@7',
    slaveId: '10.0.0.1',
    executionType: 'READY',
    shardingItems: [0, 1],
    state: 'TASK_RUNNING',
    message: '',
    creationTime: new Date(2030, 0, 31, 23, 59, 58, 100),
    ...fields,
  };
}
