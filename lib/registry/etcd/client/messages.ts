/**
 * The messages of etcd's API that this client exchanges, with the names of our code. Field numbers and types on the
 * wire are those of etcd's `rpc.proto` and `kv.proto`, and the same in all versions 3.x.
 *
 * Numbers of 64 bits arrive as texts, since an id of a lease does not fit into a JavaScript number. Revisions and
 * versions do: etcd counts them from 1.
 */

/** A number of 64 bits. */
export type Int64 = string | number;

/** Head of each answer. */
export interface ResponseHeader {
  readonly clusterId: string;
  /** The member that answers. */
  readonly memberId: string;
  /** The revision of the whole store when the request was carried out. */
  readonly revision: string;
  /** Grows with each election of a leader. */
  readonly raftTerm: string;
}

/** A key with its value. */
export interface KeyValue {
  readonly key: string;
  readonly createRevision: string;
  readonly modRevision: string;
  /** 1 when created; grows by one with each write. */
  readonly version: string;
  readonly value: Buffer;
  /** `0`: none. */
  readonly lease: string;
}

/** Keys from `key` up to and without `rangeEnd`; without `rangeEnd`, the one key. */
export interface KeyRange {
  readonly key: string;
  readonly rangeEnd?: string;
}

export interface RangeRequest extends KeyRange {
  readonly limit?: number;
  /** Default: the present one. */
  readonly revision?: Int64;
  readonly keysOnly?: boolean;
}

export interface RangeResponse {
  readonly header: ResponseHeader;
  readonly kvs: readonly KeyValue[];
}

export interface PutRequest {
  readonly key: string;
  readonly value: Buffer;
  /** The key lives as long as this lease. */
  readonly lease?: Int64;
  /** Leaves the key with its present lease, or without one. The key must exist. */
  readonly ignoreLease?: boolean;
}

export interface PutResponse {
  readonly header: ResponseHeader;
}

export interface DeleteRangeResponse {
  readonly header: ResponseHeader;
  readonly deleted: string;
}

/** One part of a transaction: exactly one of the fields. */
export interface RequestOp {
  readonly requestRange?: RangeRequest;
  readonly requestPut?: PutRequest;
  readonly requestDeleteRange?: KeyRange;
}

/** The answer to one part; that of the same kind is set. */
export interface ResponseOp {
  readonly responseRange: RangeResponse | null;
  readonly responsePut: PutResponse | null;
  readonly responseDeleteRange: DeleteRangeResponse | null;
}

export const CompareResult = { equal: 0, greater: 1, less: 2, notEqual: 3 } as const;
export type CompareResult = (typeof CompareResult)[keyof typeof CompareResult];

export const CompareTarget = { version: 0, createRevision: 1, modRevision: 2, value: 3, lease: 4 } as const;
export type CompareTarget = (typeof CompareTarget)[keyof typeof CompareTarget];

/**
 * A condition of a transaction. It holds for a range if it holds for each key of it. A key that does not exist has
 * version, revisions and lease 0, and no comparison of its value holds; the same goes for a range without keys.
 */
export interface Compare extends KeyRange {
  readonly result: CompareResult;
  readonly target: CompareTarget;
  readonly version?: Int64;
  readonly createRevision?: Int64;
  readonly modRevision?: Int64;
  readonly value?: Buffer;
  readonly lease?: Int64;
}

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

export interface TxnResponse {
  readonly header: ResponseHeader;
  readonly succeeded: boolean;
  readonly responses: readonly ResponseOp[];
}

export interface LeaseGrantResponse {
  readonly header: ResponseHeader;
  readonly id: string;
  readonly ttl: string;
}

export interface LeaseKeepAliveResponse {
  readonly header: ResponseHeader;
  readonly id: string;
  /** 0 or less: the lease has ended. */
  readonly ttl: string;
}

/** Begins another watch in the stream. */
export interface WatchRequest {
  readonly createRequest: KeyRange & { readonly startRevision: Int64; readonly watchId: Int64 };
}

export const EventType = { put: 0, delete: 1 } as const;
export type EventType = (typeof EventType)[keyof typeof EventType];

/** One change of a key. Of a key that was deleted, `kv` has the key and, as `modRevision`, the revision. */
export interface WatchEvent {
  readonly type: EventType;
  readonly kv: KeyValue;
}

export interface WatchResponse {
  readonly header: ResponseHeader;
  readonly watchId: string;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not `0`: the watch needs revisions before this one, which the server has no more. */
  readonly compactRevision: string;
  readonly cancelReason: string;
  readonly events: readonly WatchEvent[];
}

/** A member of the cluster. */
export interface Member {
  readonly id: string;
  /** Empty until it has started for the first time. */
  readonly name: string;
  /** The addresses that it advertises to clients; none until it has started for the first time. */
  readonly clientUrls: readonly string[];
  /** True if it does not vote yet. */
  readonly isLearner: boolean;
}

/** Requests and answers of the calls that have one answer. */
export interface UnaryCalls {
  range: [RangeRequest, RangeResponse];
  put: [PutRequest, PutResponse];
  txn: [TxnRequest, TxnResponse];
  leaseGrant: [{ readonly ttl: Int64; readonly id?: Int64 }, LeaseGrantResponse];
  leaseRevoke: [{ readonly id: Int64 }, { readonly header: ResponseHeader }];
  status: [
    object,
    { readonly header: ResponseHeader; readonly version: string; readonly dbSize: Int64; readonly dbSizeQuota: Int64 },
  ];
  /** `action` 0 lists the alarms. */
  alarm: [
    { readonly action: 0 },
    { readonly header: ResponseHeader; readonly alarms: readonly { readonly alarm: number }[] },
  ];
  memberList: [object, { readonly header: ResponseHeader; readonly members: readonly Member[] }];
  authenticate: [
    { readonly name: string; readonly password: string },
    { readonly header: ResponseHeader; readonly token: string },
  ];
}

/** Requests and answers of the calls that are streams in both directions. */
export interface StreamCalls {
  leaseKeepAlive: [{ readonly id: Int64 }, LeaseKeepAliveResponse];
  watch: [WatchRequest, WatchResponse];
}
