import { upgradeWebSocket } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { MAX_FRAME_BYTES, SOCKET_DEAD_MS } from '@switchyard/shared/protocol/limits';
import type { WebSocket } from 'ws';
import type { Deps } from '../../deps.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { authenticateRunner } from '../../runners/authenticate-runner.ts';
import { noteDisconnect } from '../../runners/disconnect.ts';
import { handleFrame } from '../../runners/handle-frame.ts';
import { inOrder, openSession } from '../../runners/session.ts';
import type { SocketRegistry } from './runner-sockets.ts';

/** `GET /api/v1/runners/connect`: only translates between sockets and the neutral core. */
export function runnerSocketRoute(
  app: OpenAPIHono<HttpEnv>,
  deps: Deps,
  sockets: SocketRegistry,
): void {
  app.get(
    '/api/v1/runners/connect',
    upgradeWebSocket(async (c) => {
      const runner = await authenticateRunner(deps, c.req.header('authorization'));
      const session = openSession(runner.runner_id);
      let dead: NodeJS.Timeout | null = null;
      const alive = (socket: WebSocket) => {
        if (dead !== null) clearTimeout(dead);
        dead = setTimeout(() => socket.terminate(), SOCKET_DEAD_MS);
      };
      return {
        onOpen(_event, ws) {
          if (ws.raw === undefined) return;
          const socket = ws.raw as WebSocket;
          sockets.add(runner.runner_id, socket);
          alive(socket);
        },
        onMessage(event, ws) {
          const socket = ws.raw as WebSocket;
          alive(socket);
          if (typeof event.data !== 'string') return ws.close(1003, 'text frames only');
          if (event.data === 'ping') return ws.send('pong');
          if (event.data.length > MAX_FRAME_BYTES) return ws.close(1009, 'frame too large');
          deps.background.run('runner frame', async () => {
            const { replies, close } = await handleFrame(deps, session, event.data as string);
            if (replies.length > 0 && socket.readyState === socket.OPEN)
              ws.send(JSON.stringify(replies));
            if (close !== undefined) ws.close(close.code, close.reason);
          });
        },
        onClose(_event, ws) {
          if (dead !== null) clearTimeout(dead);
          sockets.remove(runner.runner_id, ws.raw as WebSocket);
          deps.background.run('runner disconnect', () =>
            inOrder(session, () => noteDisconnect(deps, session)),
          );
        },
      };
    }),
  );
}
