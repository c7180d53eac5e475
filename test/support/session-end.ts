import { connect } from 'node:net';
import { FrameReader } from '../../lib/registry/zookeeper/client/frame-reader.js';
import { JuteReader, JuteWriter } from '../../lib/registry/zookeeper/client/jute.js';
import {
  closeSession,
  connectRequest,
  connectResponse,
  requestHeader,
} from '../../lib/registry/zookeeper/client/messages.js';
import { type SessionKey } from './zookeeper-frames.js';

/**
 * Ends a session at a server (`host:port`) without asking the client that has it: takes it over on a connection of its
 * own, and closes it there. Resolves once the session's nodes are gone.
 */
export async function endSession(server: string, { sessionId, password }: SessionKey): Promise<void> {
  const [host = '', port] = server.split(':');
  const socket = connect({ host, port: Number(port), noDelay: true });
  const frames = new FrameReader();
  let isTaken = false;
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed the connection before the session was ended')));
    socket.on('data', (data) => {
      for (const message of frames.push(data)) {
        if (isTaken) return resolve();
        isTaken = true;
        const { timeoutMs } = connectResponse.read(new JuteReader(message));
        if (timeoutMs <= 0) return reject(new Error('The session has ended already'));
        socket.write(JuteWriter.frame(requestHeader, { xid: 1, opcode: closeSession.opcode }));
      }
    });
    const greeting = { protocolVersion: 0, lastZxidSeen: 0n, timeoutMs: 10_000, sessionId, password, readOnly: false };
    socket.write(JuteWriter.frame(connectRequest, greeting));
  });
  socket.destroy();
}
