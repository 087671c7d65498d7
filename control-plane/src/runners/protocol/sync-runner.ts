import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { recordDisconnect } from './record-disconnect.ts';
import type { FrameHandler } from './create-frame-handler.ts';
import { finalError, openSession } from '../session/runner-session.ts';

export type SyncInput = {
  /** The runner that authenticated this request. */
  runner: RunnerRow;
  /** Session number from an earlier `welcome`; null on the first request. */
  session: number | null;
  messages: unknown[];
  /**
   * How long the response may wait for messages to the runner if the request yields none,
   * milliseconds.
   */
  waitMs: number;
};

/**
 * One request of a runner without a socket: handles its messages and returns the replies with all
 * waiting messages. Throws AppError for a frame that is too large.
 */
export async function syncRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'background'> & { handleFrame: FrameHandler },
  input: SyncInput,
): Promise<ControlPlaneMessage[]> {
  const { runner_id: runnerId } = input.runner;
  const session = openSession(runnerId, input.session);
  // Compares with the row, since no memory of the session survives a restart.
  const current = input.session !== null && input.session === input.runner.session;
  if (current && input.session !== null) stays(deps, runnerId, input.session);
  else if (input.session !== null && input.messages.length === 0)
    return [finalError('STALE_SESSION', 'a newer session of this runner has taken over')];
  const frame =
    input.messages.length === 0
      ? { replies: [] }
      : await deps.handleFrame(session, JSON.stringify(input.messages));
  if (frame.close?.code === 1009) throw new AppError('too_large', 'the frame is too large');
  if (session.session !== null && session.session !== input.session)
    stays(deps, runnerId, session.session);
  if (!current && session.session === input.session) return frame.replies;
  const waitMs = frame.replies.length > 0 ? 0 : input.waitMs;
  return [...frame.replies, ...(await deps.connections.take(runnerId, waitMs))];
}

function stays(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'background'>,
  runnerId: string,
  session: number,
): void {
  deps.connections.open(runnerId, session, () =>
    deps.background.run('runner disconnect', () =>
      recordDisconnect(deps, openSession(runnerId, session)),
    ),
  );
}
