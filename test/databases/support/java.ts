/** Effects of Java's ElasticJob on a database, as text: their tables of each version, and their statements. */
import { type Kind } from './servers.js';

/** Tables of ElasticJob's versions. From 3.0.1 on, MySQL has another primary key; from 3.0.5 on, `source` is gone. */
export type JavaVersion = '3.0.0' | '3.0.4' | '3.0.5';

/** The statements by which that version creates its tables and its index. */
export function javaTables(kind: Kind, version: JavaVersion): readonly string[] {
  const isMysql = kind === 'mariadb';
  const hasAutoId = isMysql && version !== '3.0.0';
  const auto = hasAutoId ? 'auto_id int NOT NULL AUTO_INCREMENT, ' : '';
  const boolean = isMysql ? 'INT' : 'BOOLEAN';
  const ending = isMysql ? ' ENGINE=InnoDB' : '';
  const keyOfExecutions = hasAutoId ? 'PRIMARY KEY (auto_id), UNIQUE KEY id (id)' : 'PRIMARY KEY (id)';
  const keyOfStatuses = hasAutoId ? 'PRIMARY KEY (auto_id)' : 'PRIMARY KEY (id)';
  const source = version === '3.0.5' ? '' : 'source VARCHAR(50) NOT NULL, ';
  return [
    `CREATE TABLE JOB_EXECUTION_LOG (${auto}id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, task_id VARCHAR(255) NOT NULL, hostname VARCHAR(255) NOT NULL, ip VARCHAR(50) NOT NULL, sharding_item INT NOT NULL, execution_source VARCHAR(20) NOT NULL, failure_cause VARCHAR(4000) NULL, is_success ${boolean} NOT NULL, start_time TIMESTAMP NULL, complete_time TIMESTAMP NULL, ${keyOfExecutions})${ending}`,
    `CREATE TABLE JOB_STATUS_TRACE_LOG (${auto}id VARCHAR(40) NOT NULL, job_name VARCHAR(100) NOT NULL, original_task_id VARCHAR(255) NOT NULL, task_id VARCHAR(255) NOT NULL, slave_id VARCHAR(50) NOT NULL, ${source}execution_type VARCHAR(20) NOT NULL, sharding_item VARCHAR(100) NOT NULL, state VARCHAR(20) NOT NULL, message VARCHAR(4000) NULL, creation_time TIMESTAMP NULL, ${keyOfStatuses})${ending}`,
    `CREATE INDEX TASK_ID_STATE_INDEX ON JOB_STATUS_TRACE_LOG (task_id${isMysql ? '(128)' : ''}, state)`,
  ];
}

/** The statements for events, with `?` for parameters. */
export const JAVA = {
  start:
    'INSERT INTO JOB_EXECUTION_LOG (id, job_name, task_id, hostname, ip, sharding_item, execution_source, is_success, start_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  success: 'UPDATE JOB_EXECUTION_LOG SET is_success = ?, complete_time = ? WHERE id = ?',
  failure: 'UPDATE JOB_EXECUTION_LOG SET is_success = ?, complete_time = ?, failure_cause = ? WHERE id = ?',
  status304:
    'INSERT INTO JOB_STATUS_TRACE_LOG (id, job_name, original_task_id, task_id, slave_id, source, execution_type, sharding_item, state, message, creation_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  status305:
    'INSERT INTO JOB_STATUS_TRACE_LOG (id, job_name, original_task_id, task_id, slave_id, execution_type, sharding_item, state, message, creation_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  originalTaskId: 'SELECT original_task_id FROM JOB_STATUS_TRACE_LOG WHERE task_id = ? AND state = ? LIMIT 1',
} as const;

/** A statement with the placeholders of a server. */
export function placed(kind: Kind, sql: string): string {
  let number = 0;
  return kind === 'postgres' ? sql.replaceAll('?', () => `$${++number}`) : sql;
}
