import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Chroot } from '../../../lib/registry/zookeeper/client/chroot.js';
import { FrameReader, LARGEST_RESPONSE_BYTES } from '../../../lib/registry/zookeeper/client/wire/frame-reader.js';
import {
  bool,
  bytes,
  type Codec,
  int,
  JuteReader,
  JuteWriter,
  long,
  MalformedMessageError,
  record,
  text,
  vector,
} from '../../../lib/registry/zookeeper/client/wire/jute.js';
import * as messages from '../../../lib/registry/zookeeper/client/wire/messages.js';
import { PersistentWatches } from '../../../lib/registry/zookeeper/client/persistent-watches.js';
import { answerChallenge } from '../../../lib/registry/zookeeper/client/sasl-digest-md5.js';
import { ServerList } from '../../../lib/registry/zookeeper/client/server-list.js';
import { expectProperty } from '../../support/property.js';

const anyBytes = fc.uint8Array({ maxLength: 600 }).map((array) => Buffer.from(array));
const anyText = fc.string({ unit: 'grapheme' });
const anyLong = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const anyInt = fc.integer();

const stat = fc.record({
  czxid: anyLong,
  mzxid: anyLong,
  ctime: anyLong,
  mtime: anyLong,
  version: anyInt,
  cversion: anyInt,
  aversion: anyInt,
  ephemeralOwner: anyLong,
  dataLength: anyInt,
  numChildren: anyInt,
  pzxid: anyLong,
});
const acls = fc.array(fc.record({ permissions: anyInt, scheme: anyText, id: anyText }));

function messageOf<T>(codec: Codec<T>, value: T): Buffer {
  return JuteWriter.frame(codec, value).subarray(4);
}

describe('The encoding', () => {
  function expectRoundTrip<T>(codec: Codec<T>, values: fc.Arbitrary<T>): void {
    expectProperty(
      fc.property(values, (value) => {
        const reader = new JuteReader(messageOf(codec, value));
        expect(codec.read(reader)).toEqual(value);
        expect(reader.remaining).toBe(0);
      }),
    );
  }

  test.each([
    ['int', int, anyInt],
    ['long', long, anyLong],
    ['bool', bool, fc.boolean()],
    ['bytes', bytes, anyBytes],
    ['text', text, anyText],
    ['vector of text', vector(text), fc.array(anyText)],
    ['stat', messages.statRecord, stat],
    ['create', messages.createQuestion, fc.record({ path: anyText, data: anyBytes, acl: acls, flags: anyInt })],
    ['data', messages.dataAnswer, fc.record({ data: anyBytes, stat })],
    ['reply header', messages.replyHeader, fc.record({ xid: anyInt, zxid: anyLong, error: anyInt })],
  ] as readonly [string, Codec<unknown>, fc.Arbitrary<unknown>][])(
    '%s: reading gives what was written',
    (_, codec, values) => {
      expectRoundTrip(codec, values);
    },
  );

  test('is that of ZooKeeper', () => {
    const message = messageOf(record({ a: int, b: long, c: bool, d: bytes, e: text, f: vector(int) }), {
      a: -1,
      b: 1n,
      c: true,
      d: Buffer.from([7]),
      e: 'é',
      f: [2],
    });

    expect(message.toString('hex')).toBe(
      ['ffffffff', '0000000000000001', '01', '0000000107', '00000002c3a9', '0000000100000002'].join(''),
    );
  });

  test('a null buffer, text or list is read as empty', () => {
    const nulls = Buffer.from('ffffffff'.repeat(3), 'hex');
    const value = record({ a: bytes, b: text, c: vector(int) }).read(new JuteReader(nulls));

    expect(value).toEqual({ a: Buffer.alloc(0), b: '', c: [] });
  });

  test('a message cut short anywhere is recognised', () => {
    expectProperty(
      fc.property(fc.record({ path: anyText, data: anyBytes, acl: acls, flags: anyInt }), fc.nat(), (value, cut) => {
        const message = messageOf(messages.createQuestion, value);
        const short = new JuteReader(message.subarray(0, cut % message.length));
        expect(() => messages.createQuestion.read(short)).toThrow(MalformedMessageError);
      }),
    );
  });

  test.each(['7fffffff', '80000000', '00000005'])('the length %s without that many bytes is recognised', (length) => {
    for (const codec of [bytes, text, vector(text)] as readonly Codec<unknown>[]) {
      expect(() => codec.read(new JuteReader(Buffer.from(length, 'hex')))).toThrow(MalformedMessageError);
    }
  });
});

describe('Frames', () => {
  test('are the same however the stream is cut into pieces', () => {
    expectProperty(
      fc.property(fc.array(anyBytes), fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (sent, sizes) => {
        const stream = Buffer.concat(sent.map((message) => messageOf(bytes, message)));
        const reader = new FrameReader();
        const received: Buffer[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          received.push(...reader.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(received).toEqual(sent);
      }),
    );
  });

  test('of an impossible length are recognised', () => {
    for (const length of [-1, -(2 ** 31), LARGEST_RESPONSE_BYTES + 1]) {
      const head = messageOf(int, length);
      expect(() => [...new FrameReader().push(head)]).toThrow(`a message of ${length} bytes`);
    }
  });
});

describe('Numbers of requests', () => {
  test('stay positive', () => {
    expect(messages.nextXid(0)).toBe(1);
    expect(messages.nextXid(2 ** 31 - 2)).toBe(2 ** 31 - 1);
    expect(messages.nextXid(2 ** 31 - 1)).toBe(1);
  });
});

describe('DIGEST-MD5', () => {
  // The exchange in section 4 of RFC 2831, with the digest-uri of ZooKeeper; the digests were computed with Python's
  // hashlib.
  const challenge = Buffer.from(
    'realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8',
  );
  const user = { username: 'chris', password: 'secret' };

  test('answers a challenge and recognises the proof of the server', () => {
    const exchange = answerChallenge(challenge, user, 'OA6MHXh6VqTrRk');

    expect(exchange.response.toString()).toBe(
      'charset=utf-8,username="chris",realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",nc=00000001,' +
        'cnonce="OA6MHXh6VqTrRk",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=3d53f3e841d45c8a4dcf0f37c4725582,qop=auth',
    );
    expect(exchange.isProvenBy(Buffer.from('rspauth=8c55a82deadfa98cf2a60488be40c74d'))).toBe(true);
    expect(exchange.isProvenBy(Buffer.from(`rspauth=${'0'.repeat(32)}`))).toBe(false);
    expect(exchange.isProvenBy(Buffer.alloc(0))).toBe(false);
  });

  test('refuses what is no challenge', () => {
    expect(() => answerChallenge(Buffer.from('hello'), user, 'x')).toThrow('did not offer SASL DIGEST-MD5');
    expect(() => answerChallenge(Buffer.from('nonce="x",qop="auth-conf"'), user, 'x')).toThrow('quality of protection');
  });
});

describe('The chroot', () => {
  test('is added to paths and removed again', () => {
    const chroot = new Chroot('/a/b');

    expect(['/', '/x'].map((path) => chroot.absolute(path))).toEqual(['/a/b', '/a/b/x']);
    expect(['/a/b', '/a/b/x', '/a/bc', '/a'].map((path) => chroot.relative(path))).toEqual([
      '/',
      '/x',
      undefined,
      undefined,
    ]);
  });

  test.each(['', '/'])('%p is none', (prefix) => {
    const chroot = new Chroot(prefix);

    expect([chroot.absolute('/'), chroot.absolute('/x'), chroot.relative('/x')]).toEqual(['/', '/x', '/x']);
  });
});

describe('Watches set again', () => {
  test('are split into messages that a server accepts', () => {
    const watches = new PersistentWatches();
    const paths = Array.from({ length: 3000 }, (_, index) => `/${'é'.repeat(50)}/${index}`);
    paths.forEach((path) => watches.add(path));
    watches.delete(paths.pop()!);

    const frames = [...watches.frames(5n)];

    const told = frames.flatMap((frame) => {
      const reader = new JuteReader(frame.subarray(4));
      expect(messages.requestHeader.read(reader)).toEqual({ xid: -8, opcode: 105 });
      const question = messages.setWatches.question.read(reader);
      expect(question).toMatchObject({ relativeZxid: 5n, data: [], exist: [], child: [], persistent: [] });
      return question.persistentRecursive;
    });
    expect(told).toEqual(paths);
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(132_000);
    expect(frames.length).toBe(3);
  });

  test('are no message at all if there are none', () => {
    expect([...new PersistentWatches().frames(5n)]).toEqual([]);
  });
});

describe('The list of servers', () => {
  const servers = [1, 2, 3].map((port) => ({ host: 'h', port }));

  test('is shuffled once and tried in order', () => {
    const list = new ServerList(servers);

    const first = [list.next(), list.next(), list.next()];
    const second = [list.next(), list.next(), list.next()];

    expect(second).toEqual(first);
    expect(new Set(first)).toEqual(new Set(servers));
  });

  test('starts anywhere', () => {
    const starts = new Set(Array.from({ length: 200 }, () => new ServerList(servers).next().port));

    expect(starts).toEqual(new Set([1, 2, 3]));
  });

  test('asks for a pause only after all have failed, for a longer one each time, and forgets after a success', () => {
    const list = new ServerList(servers);

    const pauses = Array.from({ length: 30 }, () => list.failed());
    list.succeeded();

    expect(pauses.filter((_, index) => index % 3 !== 2).every((pause) => pause === 0)).toBe(true);
    expect(pauses.filter((_, index) => index % 3 === 2).every((pause) => pause >= 50 && pause <= 1000)).toBe(true);
    expect([list.failed(), list.failed()]).toEqual([0, 0]);
    expect(list.failed()).toBeLessThanOrEqual(100);
  });

  test('says what is missing if it is empty', () => {
    expect(() => new ServerList([]).next()).toThrow('localhost:2181');
  });
});
