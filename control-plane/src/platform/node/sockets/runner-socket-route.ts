import { upgradeWebSocket } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { MAX_FRAME_BYTES, SOCKET_DEAD_MS } from '@switchyard/shared/protocol/limits';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { WebSocket } from 'ws';
import type { Deps } from '../../../deps.ts';
import type { HttpEnv } from '../../../http/bindings.ts';
import { authenticateRunner } from '../../../runners/admin/authenticate-runner.ts';
import { recordDisconnect } from '../../../runners/protocol/record-disconnect.ts';
import type { FrameHandler } from '../../../runners/protocol/create-frame-handler.ts';
import { CLOSE_REVOKED, isRevoked, STANDING_CHECK_MS } from '../../../runners/admin/is-revoked.ts';
import { inOrder, openSession } from '../../../runners/session/runner-session.ts';
import { paceFrames } from './pace-frames.ts';
import { sendText, type SocketRegistry } from './socket-registry.ts';

/** `GET /api/v1/runners/connect`: translates between sockets and the neutral core. */
export function runnerSocketRoute(
  app: OpenAPIHono<HttpEnv>,
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'background' | 'service'> & {
    handleFrame: FrameHandler;
  },
  sockets: SocketRegistry,
): void {
  app.get(
    '/api/v1/runners/connect',
    upgradeWebSocket(async (c) => {
      const runner = await authenticateRunner(deps, c.req.header('authorization'));
      const session = openSession(runner.runner_id);
      let lookedAtMs = deps.clock.nowMs();
      let pace: ReturnType<typeof paceFrames> | null = null;
      let dead: NodeJS.Timeout | null = null;
      const alive = (socket: WebSocket) => {
        if (dead !== null) clearTimeout(dead);
        dead = setTimeout(() => socket.terminate(), SOCKET_DEAD_MS);
      };
      /** Checks, when the runner sends a frame or ping, whether it was revoked meanwhile. */
      const checkAgain = (socket: WebSocket) => {
        if (deps.clock.nowMs() - lookedAtMs < STANDING_CHECK_MS) return;
        lookedAtMs = deps.clock.nowMs();
        deps.background.run('standing of a runner', async () => {
          if (await isRevoked(deps.db, runner.runner_id))
            socket.close(CLOSE_REVOKED.code, CLOSE_REVOKED.reason);
        });
      };
      const handle = async (socket: WebSocket, text: string) => {
        const { replies, close } = await deps.handleFrame(session, text);
        if (replies.length > 0) sendText(socket, toJson(replies));
        if (close !== undefined) socket.close(close.code, close.reason);
      };
      return {
        onOpen(_event, ws) {
          if (ws.raw === undefined) return;
          const socket = ws.raw as WebSocket;
          sockets.add(runner.runner_id, socket, deps.clock.nowMs());
          pace = paceFrames(socket);
          alive(socket);
        },
        onMessage(event, ws) {
          const socket = ws.raw as WebSocket;
          const { data } = event;
          alive(socket);
          sockets.heard(socket, deps.clock.nowMs());
          checkAgain(socket);
          if (typeof data !== 'string') return ws.close(1003, 'text frames only');
          if (data === 'ping') return void sendText(socket, 'pong');
          if (data.length > MAX_FRAME_BYTES) return ws.close(1009, 'frame too large');
          pace?.came(data.length);
          deps.background.run('runner frame', () =>
            handle(socket, data).finally(() => {
              pace?.handled(data.length);
              // While frames are handled and none are read, silence is not the runner's fault.
              if (socket.readyState === socket.OPEN) alive(socket);
            }),
          );
        },
        onClose(_event, ws) {
          if (dead !== null) clearTimeout(dead);
          sockets.remove(runner.runner_id, ws.raw as WebSocket);
          deps.background.run('runner disconnect', () =>
            inOrder(session, () => recordDisconnect(deps, session)),
          );
        },
      };
    }),
  );
}
