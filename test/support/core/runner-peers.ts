import { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import { openSession } from '../../../control-plane/src/runners/session/runner-session.ts';
import type { OpenPeer } from './core-world.ts';

/** Every answer is read as a runner reads it: what is not in the protocol fails the test. */
function asWire(replies: unknown): ControlPlaneMessage[] {
  return ControlPlaneMessage.array().parse(JSON.parse(JSON.stringify(replies)));
}

/** Frames go straight to the core, as a socket's do. */
export const openFramePeer: OpenPeer = (core, { runnerId }) => {
  const session = openSession(runnerId);
  return {
    async exchange(messages) {
      const { replies, close } = await core.handleFrame(session, JSON.stringify(messages));
      // A runner reads what it was told before the connection ends.
      if (close !== undefined && replies.length === 0)
        throw new Error(`the session was closed with ${close.code}`);
      return asWire(replies);
    },
  };
};

/** Frames are requests of the whole app, with a token the runner signed itself. */
export const openSyncPeer: OpenPeer = (core, { runnerId, identity }) => {
  let session: number | undefined;
  return {
    async exchange(messages) {
      const { audience } = core.deps.service;
      const token = await identity.accessToken({
        runnerId,
        audience,
        nowMs: core.deps.clock.nowMs(),
      });
      const response = await core.app.request(
        '/api/v1/runners/sync',
        {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ ...(session === undefined ? {} : { session }), messages }),
        },
        { remoteAddress: '192.0.2.7' },
      );
      if (response.status !== 200)
        throw new Error(`sync answered ${response.status}: ${await response.text()}`);
      const { messages: replies } = (await response.json()) as { messages: unknown };
      const wire = asWire(replies);
      for (const reply of wire) if (reply.type === 'welcome') session = reply.session;
      return wire;
    },
  };
};
