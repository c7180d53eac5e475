/**
 * The messages of the protocol as tables: the fields stand in the order in which they are sent. An operation is a verb
 * for error messages, a number on the wire, and the shapes of question and answer.
 */
import { bool, bytes, type Codec, int, long, nothing, record, text, vector } from './jute.js';

/** One kind of request. */
export interface Operation<Question, Answer> {
  /** A verb for error messages: "Could not {verb} /path". */
  readonly verb: string;
  readonly opcode: number;
  readonly question: Codec<Question>;
  readonly answer: Codec<Answer>;
}

/** Used instead of the xid of a request, in messages that are recognised by their kind. */
export const RESERVED_XIDS = { watchEvent: -1, ping: -2, auth: -4, setWatches: -8 } as const;

/** Greatest transaction number of a client; the next one is 1. */
const LAST_XID = 2 ** 31 - 1;

/** The xid after `xid`: always positive, as negative ones are reserved. */
export function nextXid(xid: number): number {
  return xid >= LAST_XID ? 1 : xid + 1;
}

/** First message on a connection. It has no header. Session 0 asks for a new session. */
export const connectRequest = record({
  protocolVersion: int,
  lastZxidSeen: long,
  timeoutMs: int,
  sessionId: long,
  password: bytes,
  readOnly: bool,
});

/**
 * Answer to the first message, without the flag `readOnly`, which very old servers omit. A timeout of 0 means: no such
 * session.
 */
export const connectResponse = record({ protocolVersion: int, timeoutMs: int, sessionId: long, password: bytes });

/** In front of every request but the first. */
export const requestHeader = record({ xid: int, opcode: int });
/** In front of every answer but the first, and of watch events. */
export const replyHeader = record({ xid: int, zxid: long, error: int });
/** A watch has fired. `type`: 1 created, 2 deleted, 3 data changed, 4 children changed. */
export const watcherEvent = record({ type: int, state: int, path: text });

const acl = record({ permissions: int, scheme: text, id: text });
/** An access rule: all permissions are 31. */
export type Acl = ReturnType<typeof acl.read>;

/** The metadata of a node. Times in milliseconds since 1970. */
export const statRecord = record({
  czxid: long,
  mzxid: long,
  ctime: long,
  mtime: long,
  version: int,
  cversion: int,
  aversion: int,
  ephemeralOwner: long,
  dataLength: int,
  numChildren: int,
  pzxid: long,
});
/** See {@link statRecord}. */
export type StatRecord = ReturnType<typeof statRecord.read>;

/** `flags`: 0 persistent, 1 ephemeral, 2 persistent sequential, 3 ephemeral sequential, 4 container. */
export const createQuestion = record({ path: text, data: bytes, acl: vector(acl), flags: int });
export const createAnswer = record({ path: text, stat: statRecord });
export const pathQuestion = record({ path: text });
const watchablePathQuestion = record({ path: text, watch: bool });
const versionQuestion = record({ path: text, version: int });
const setDataQuestion = record({ path: text, data: bytes, version: int });
export const dataAnswer = record({ data: bytes, stat: statRecord });

const addWatchQuestion = record({ path: text, mode: int });
const removeWatchesQuestion = record({ path: text, type: int });
/** Sets all watches of the session on a new connection. This client uses only the last list. */
const setWatchesQuestion = record({
  relativeZxid: long,
  data: vector(text),
  exist: vector(text),
  child: vector(text),
  persistent: vector(text),
  persistentRecursive: vector(text),
});

/**
 * `create2` rather than `create`: its answer has the exact zxid of the creation. Containers have a number of their own.
 */
export const create = { verb: 'create', opcode: 15, question: createQuestion, answer: createAnswer };
/**
 * The creation of other nodes than containers in a transaction; servers answer `create2` there as if it were this one.
 */
export const createPart = { opcode: 1, question: createQuestion };
export const createContainer = { ...create, opcode: 19 };
export const remove = { verb: 'delete', opcode: 2, question: versionQuestion, answer: nothing };
export const exists = {
  verb: 'look for',
  opcode: 3,
  question: watchablePathQuestion,
  answer: record({ stat: statRecord }),
};
export const getData = { verb: 'read', opcode: 4, question: watchablePathQuestion, answer: dataAnswer };
export const setData = { verb: 'write', opcode: 5, question: setDataQuestion, answer: record({ stat: statRecord }) };
export const getChildren = {
  verb: 'list the children of',
  opcode: 8,
  question: watchablePathQuestion,
  answer: record({ children: vector(text) }),
};
/** Answers with an error to sessions that may neither read nor administer the node. */
export const getAcl = {
  verb: 'read the access rules of',
  opcode: 6,
  question: pathQuestion,
  answer: record({ acl: vector(acl), stat: statRecord }),
};
export const sync = { verb: 'sync', opcode: 9, question: pathQuestion, answer: pathQuestion };
export const ping = { verb: 'ping', opcode: 11, question: nothing, answer: nothing };
export const check = { verb: 'check', opcode: 13, question: versionQuestion, answer: nothing };
/** Watcher type 3 is "any". */
export const removeWatches = {
  verb: 'stop watching',
  opcode: 18,
  question: removeWatchesQuestion,
  answer: nothing,
};
/** Mode 1 is persistent and recursive. */
export const addWatch = { verb: 'watch', opcode: 106, question: addWatchQuestion, answer: nothing };
export const setWatches = {
  verb: 'watch again',
  opcode: 105,
  question: setWatchesQuestion,
  answer: nothing,
};
export const authenticate = {
  verb: 'authenticate',
  opcode: 100,
  question: record({ type: int, scheme: text, credentials: bytes }),
  answer: nothing,
};
export const saslStep = {
  verb: 'authenticate by SASL',
  opcode: 102,
  question: record({ token: bytes }),
  answer: record({ token: bytes }),
};
export const closeSession = { verb: 'close', opcode: -11, question: nothing, answer: nothing };
