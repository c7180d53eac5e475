/**
 * The conversion of messages of etcd's API to bytes and back.
 *
 * gRPC needs, for each call, a function that encodes requests and one that decodes answers. `@grpc/proto-loader`, which
 * comes with `@grpc/grpc-js`, makes them of a description of the messages. That description is the table below: the
 * messages and fields that this client uses, with etcd's numbers. Reasons:
 *
 * - etcd's own `.proto` files need four more of other projects (gogoproto, google.api, openapi, versionpb), none of
 *   which changes a byte; and files would have to be found beside the bundles of this package. A table is code.
 * - Code generated in advance would have to be kept with the version of its runtime; encoders of our own would have to
 *   be proven. The loader's are those of protobuf.js, which millions use.
 *
 * Two liberties change no byte either: keys are `string` where etcd says `bytes`, because all keys of ours are texts,
 * and enumerations are `int32`. A field that the table leaves out is skipped when it arrives.
 */
import { type MethodDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { type StreamCalls, type UnaryCalls } from './messages.js';

/** A message's fields: name → type and number. `*`: repeated. */
type Fields = Readonly<Record<string, string>>;

const MESSAGES: Readonly<Record<string, Fields>> = {
  ResponseHeader: { clusterId: 'uint64 1', memberId: 'uint64 2', revision: 'int64 3', raftTerm: 'uint64 4' },
  KeyValue: {
    key: 'string 1',
    createRevision: 'int64 2',
    modRevision: 'int64 3',
    version: 'int64 4',
    value: 'bytes 5',
    lease: 'int64 6',
  },
  Event: { type: 'int32 1', kv: 'KeyValue 2' },
  RangeRequest: {
    key: 'string 1',
    rangeEnd: 'string 2',
    limit: 'int64 3',
    revision: 'int64 4',
    keysOnly: 'bool 8',
  },
  RangeResponse: { header: 'ResponseHeader 1', kvs: '*KeyValue 2' },
  PutRequest: { key: 'string 1', value: 'bytes 2', lease: 'int64 3', ignoreLease: 'bool 6' },
  PutResponse: { header: 'ResponseHeader 1' },
  DeleteRangeRequest: { key: 'string 1', rangeEnd: 'string 2' },
  DeleteRangeResponse: { header: 'ResponseHeader 1', deleted: 'int64 2' },
  RequestOp: { requestRange: 'RangeRequest 1', requestPut: 'PutRequest 2', requestDeleteRange: 'DeleteRangeRequest 3' },
  ResponseOp: {
    responseRange: 'RangeResponse 1',
    responsePut: 'PutResponse 2',
    responseDeleteRange: 'DeleteRangeResponse 3',
  },
  Compare: {
    result: 'int32 1',
    target: 'int32 2',
    key: 'string 3',
    version: 'int64 4',
    createRevision: 'int64 5',
    modRevision: 'int64 6',
    value: 'bytes 7',
    lease: 'int64 8',
    rangeEnd: 'string 64',
  },
  TxnRequest: { compare: '*Compare 1', success: '*RequestOp 2', failure: '*RequestOp 3' },
  TxnResponse: { header: 'ResponseHeader 1', succeeded: 'bool 2', responses: '*ResponseOp 3' },
  LeaseGrantRequest: { ttl: 'int64 1', id: 'int64 2' },
  LeaseGrantResponse: { header: 'ResponseHeader 1', id: 'int64 2', ttl: 'int64 3' },
  LeaseRevokeRequest: { id: 'int64 1' },
  LeaseRevokeResponse: { header: 'ResponseHeader 1' },
  LeaseKeepAliveRequest: { id: 'int64 1' },
  LeaseKeepAliveResponse: { header: 'ResponseHeader 1', id: 'int64 2', ttl: 'int64 3' },
  WatchCreateRequest: { key: 'string 1', rangeEnd: 'string 2', startRevision: 'int64 3', watchId: 'int64 7' },
  WatchRequest: { createRequest: 'WatchCreateRequest 1' },
  WatchResponse: {
    header: 'ResponseHeader 1',
    watchId: 'int64 2',
    created: 'bool 3',
    canceled: 'bool 4',
    compactRevision: 'int64 5',
    cancelReason: 'string 6',
    events: '*Event 11',
  },
  StatusRequest: {},
  StatusResponse: { header: 'ResponseHeader 1', version: 'string 2', dbSize: 'int64 3', dbSizeQuota: 'int64 12' },
  AlarmRequest: { action: 'int32 1' },
  AlarmMember: { memberId: 'uint64 1', alarm: 'int32 2' },
  AlarmResponse: { header: 'ResponseHeader 1', alarms: '*AlarmMember 2' },
  MemberListRequest: {},
  Member: { id: 'uint64 1', name: 'string 2', clientUrls: '*string 4', isLearner: 'bool 5' },
  MemberListResponse: { header: 'ResponseHeader 1', members: '*Member 2' },
  AuthenticateRequest: { name: 'string 1', password: 'string 2' },
  AuthenticateResponse: { header: 'ResponseHeader 1', token: 'string 2' },
};

/** All calls: service, name, message of the request, message of the answer. */
const CALLS: Readonly<Record<keyof UnaryCalls | keyof StreamCalls, readonly [string, string, string, string]>> = {
  range: ['KV', 'Range', 'RangeRequest', 'RangeResponse'],
  put: ['KV', 'Put', 'PutRequest', 'PutResponse'],
  txn: ['KV', 'Txn', 'TxnRequest', 'TxnResponse'],
  leaseGrant: ['Lease', 'LeaseGrant', 'LeaseGrantRequest', 'LeaseGrantResponse'],
  leaseRevoke: ['Lease', 'LeaseRevoke', 'LeaseRevokeRequest', 'LeaseRevokeResponse'],
  leaseKeepAlive: ['Lease', 'LeaseKeepAlive', 'LeaseKeepAliveRequest', 'LeaseKeepAliveResponse'],
  watch: ['Watch', 'Watch', 'WatchRequest', 'WatchResponse'],
  status: ['Maintenance', 'Status', 'StatusRequest', 'StatusResponse'],
  alarm: ['Maintenance', 'Alarm', 'AlarmRequest', 'AlarmResponse'],
  memberList: ['Cluster', 'MemberList', 'MemberListRequest', 'MemberListResponse'],
  authenticate: ['Auth', 'Authenticate', 'AuthenticateRequest', 'AuthenticateResponse'],
};

/** The form in which the loader gives decoded messages. */
const AS_OBJECTS = { longs: String, defaults: true, arrays: true } as const;

/** The description of one call for gRPC. */
export interface Method<Request, Answer> {
  /** `/etcdserverpb.KV/Txn`. */
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
  readonly decode: (bytes: Buffer) => Answer;
}

/** The descriptions of all calls for gRPC. */
export type Methods = {
  readonly [Name in keyof UnaryCalls]: Method<UnaryCalls[Name][0], UnaryCalls[Name][1]>;
} & { readonly [Name in keyof StreamCalls]: Method<StreamCalls[Name][0], StreamCalls[Name][1]> };

/** @param fromJSON the loader's function */
export function methodsOf(fromJSON: (json: object, options: typeof AS_OBJECTS) => PackageDefinition): Methods {
  const definition = fromJSON({ nested: { etcdserverpb: { nested: { ...messages(), ...services() } } } }, AS_OBJECTS);
  const methods = Object.entries(CALLS).map(([name, [service, method]]) => {
    const methodsOfService = definition[`etcdserverpb.${service}`] as Readonly<
      Record<string, MethodDefinition<object, object>>
    >;
    const found = methodsOfService[method];
    return [name, { path: found?.path, encode: found?.requestSerialize, decode: found?.responseDeserialize }];
  });
  return Object.fromEntries(methods) as Methods;
}

function messages(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([name, fields]) => [
      name,
      { fields: Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, fieldOf(type)])) },
    ]),
  );
}

function fieldOf(text: string): object {
  const [type = '', id] = text.split(' ');
  return { id: Number(id), ...(type.startsWith('*') ? { type: type.slice(1), rule: 'repeated' } : { type }) };
}

function services(): Readonly<Record<string, object>> {
  const services: Record<string, { readonly methods: Record<string, object> }> = {};
  for (const [name, [service, method, requestType, responseType]] of Object.entries(CALLS)) {
    const isStream = name === 'watch' || name === 'leaseKeepAlive';
    (services[`${service}`] ??= { methods: {} }).methods[method] = {
      requestType,
      responseType,
      ...(isStream && { requestStream: true, responseStream: true }),
    };
  }
  return services;
}
