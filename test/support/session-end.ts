import { connect } from 'node:net';
import { FrameReader } from '../../lib/registry/zookeeper/client/wire/frame-reader.js';
import { JuteReader, JuteWriter } from '../../lib/registry/zookeeper/client/wire/jute.js';
import {
  closeSession,
  connectRequest,
  connectResponse,
  requestHeader,
} from '../../lib/registry/zookeeper/client/wire/messages.js';
import { type SessionKey } from './zookeeper-frames.js';

/**
 * Ends a session at a server (`host:port`) without asking the client that has it: takes it over on a connection of its
 * own, and closes it there. Resolves once the session's nodes are gone.
 */
export async function endSession(server: string, session: SessionKey): Promise<void> {
  // The client that has the session may take it back before it is closed.
  while ((await tryToEnd(server, session)) === 'taken back');
}

async function tryToEnd(server: string, { sessionId, password }: SessionKey): Promise<'ended' | 'taken back'> {
  const [host = '', port] = server.split(':');
  const socket = connect({ host, port: Number(port), noDelay: true });
  const greeting = { protocolVersion: 0, lastZxidSeen: 0n, timeoutMs: 10_000, sessionId, password, readOnly: false };
  socket.write(JuteWriter.frame(connectRequest, greeting));
  socket.write(JuteWriter.frame(requestHeader, { xid: 1, opcode: closeSession.opcode }));
  const frames = new FrameReader();
  let greeted = false;
  try {
    return await new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => resolve('taken back'));
      socket.on('data', (data) => {
        for (const message of frames.push(data)) {
          const isOver = greeted || connectResponse.read(new JuteReader(message)).timeoutMs <= 0;
          if (isOver) resolve('ended');
          greeted = true;
        }
      });
    });
  } finally {
    socket.destroy();
  }
}
