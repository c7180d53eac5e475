import { describeCause } from '../../api/text/describe-cause.js';
import { type Clock } from '../../time/clock.js';
import { type EtcdReport } from '../../api/servers/server-report.js';
import { type EtcdClient } from './client/etcd-client.js';
import { EtcdError, Status } from './client/etcd-error.js';
import { type EtcdSettings } from './etcd-configuration.js';
import { type EtcdKeys } from './etcd-keys.js';
import { askMembers } from './etcd-members.js';

/** The parts that a report needs. */
export interface EtcdReportOptions {
  readonly client: EtcdClient;
  readonly keys: EtcdKeys;
  readonly settings: EtcdSettings;
  readonly clock: Clock;
}

/** The numbers of alarms in etcd's API. */
const ALARMS: readonly string[] = ['NONE', 'NOSPACE', 'CORRUPT'];
/** Far more than any client needs to catch up. */
const KEPT_REVISIONS = 1_000_000;

/** Asks an etcd for its state. Each part that it refuses is unknown. @throws EtcdError if it does not answer at all */
export async function etcdReport({ client, keys, settings, clock }: EtcdReportOptions): Promise<EtcdReport> {
  const unknown: string[] = [];
  const part = async <T>(what: string, ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof EtcdError && error.isAnswer)) throw error;
      unknown.push(`etcd does not say ${what}: ${describeCause(error)}`);
      return undefined;
    }
  };
  const began = clock.monotonic();
  const { header } = await client.call('range', { key: keys.node('/'), keysOnly: true });
  const latencyMs = Math.round(clock.monotonic() - began);
  const status = await part('how large its database is', () => client.call('status', {}));
  const raised = await part('which alarms are raised', () => client.call('alarm', { action: 0 }));
  const cluster = await part('which members it has', () => client.call('memberList', {}));
  const isHistoryKept = await part('how much of its history it keeps', () =>
    canRead(client, keys, Number(header.revision) - KEPT_REVISIONS),
  );
  const isAccepted = await part('how many operations it accepts', () => accepts(client, keys, settings.maxTxnOps));
  const { versions, silent, unheard } = await askMembers(cluster?.members ?? [], header.clusterId, settings, clock);
  unknown.push(...unheard);
  return {
    ...{ kind: 'ETCD', latencyMs, unknown, versions, silent },
    ...(raised && { alarms: raised.alarms.map(({ alarm }) => ALARMS[alarm] ?? `number ${alarm}`) }),
    ...(status && { space: { bytes: Number(status.dbSize), limit: Number(status.dbSizeQuota) || undefined } }),
    ...(cluster && { members: cluster.members.filter(({ isLearner }) => !isLearner).length }),
    maxTxnOps: { configured: settings.maxTxnOps, isAccepted },
    hasUsers: client.isAuthenticated,
    ...(isHistoryKept !== undefined && { isHistoryKept }),
  };
}

async function canRead(client: EtcdClient, keys: EtcdKeys, revision: number): Promise<boolean> {
  if (revision < 1) return false;
  try {
    await client.call('range', { key: keys.node('/'), keysOnly: true, revision: String(revision) });
    return true;
  } catch (error) {
    if (error instanceof EtcdError && error.status === Status.outOfRange) return false;
    throw error;
  }
}

/** Sends a transaction that reads one key so many times. */
async function accepts(client: EtcdClient, keys: EtcdKeys, operations: number): Promise<boolean> {
  const read = { requestRange: { key: keys.node('/'), keysOnly: true } };
  try {
    await client.call('txn', { compare: [], success: Array.from({ length: operations }, () => read), failure: [] });
    return true;
  } catch (error) {
    if (error instanceof EtcdError && error.details.includes('too many operations')) return false;
    throw error;
  }
}
