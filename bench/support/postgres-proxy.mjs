// A proxy before PostgreSQL that counts what its protocol says: round trips (a request that asks for an answer: a Sync
// or a simple query), notifications, and bytes.
import { Buffer } from 'node:buffer';
import { connect, createServer } from 'node:net';

const [SIMPLE_QUERY, SYNC, NOTIFICATION] = ['Q', 'S', 'A'].map((letter) => letter.charCodeAt(0));

/** Starts a proxy before a port of 127.0.0.1. `counts` are those since the start or the last `reset()`. */
export async function startPostgresProxy(port) {
  const sockets = new Set();
  const counts = {};
  const reset = () => Object.assign(counts, { roundTrips: 0, notifications: 0, bytesUp: 0, bytesDown: 0 });
  reset();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    // The first message of a client has no type.
    const up = frames('untyped first', (type) => (counts.roundTrips += type === SYNC || type === SIMPLE_QUERY ? 1 : 0));
    const down = frames('all typed', (type) => (counts.notifications += type === NOTIFICATION ? 1 : 0));
    client.on('data', (data) => {
      counts.bytesUp += data.length;
      up(data);
    });
    upstream.on('data', (data) => {
      counts.bytesDown += data.length;
      down(data);
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: server.address().port, counts, reset, close };
}

/** Calls `onFrame` with the type of each message. A frame is a type of one byte, and a length that includes itself. */
function frames(mode, onFrame) {
  let [head, left, isFirst] = [[], 0, mode === 'untyped first'];
  return (data) => {
    for (let at = 0; at < data.length;) {
      if (left > 0) {
        const taken = Math.min(left, data.length - at);
        left -= taken;
        at += taken;
        continue;
      }
      head.push(data[at++]);
      const lengthAt = isFirst ? 0 : 1;
      if (head.length < lengthAt + 4) continue;
      left = Buffer.from(head).readUInt32BE(lengthAt) - 4;
      if (!isFirst) onFrame(head[0]);
      [head, isFirst] = [[], false];
    }
  };
}
