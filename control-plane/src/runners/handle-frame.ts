import { MAX_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import { RunnerMessage } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../deps.ts';
import { handleAccept } from './accept.ts';
import { answerCall } from './answer-call.ts';
import { handleDecline } from './decline.ts';
import { markDraining } from './mark-draining.ts';
import { handleFinish } from './finish.ts';
import { handleHello } from './hello.ts';
import { handleReleased } from './released.ts';
import { handleRenew } from './renew.ts';
import { finalError, inOrder, type Replies, retryableError, type RunnerSession } from './session.ts';
import { handleEvents } from './store-events.ts';

const MAX_MESSAGES = 256;

/** What is left of a frame that cannot be read. `closeCode` is a WebSocket close code. */
export type FrameResult = { replies: Replies; closeCode?: number };

/**
 * Handles one frame of a runner: a JSON array of messages, in order and after every frame before
 * it. A message that is not understood is answered and the rest goes on; a database that fails is
 * answered as retryable and never as a fence.
 */
export function handleFrame(deps: Deps, session: RunnerSession, frame: string): Promise<FrameResult> {
  return inOrder(session, async () => {
    if (isTooLarge(frame)) return { replies: [], closeCode: 1009 };
    const messages = parseFrame(frame);
    if (messages === null) {
      return { replies: [finalError('MALFORMED', 'a frame is a JSON array of messages')], closeCode: 1007 };
    }
    const replies: Replies = [];
    for (const raw of messages) replies.push(...(await handleOne(deps, session, raw)));
    return { replies };
  });
}

/** A character is at most three bytes, so a short text needs no counting. */
function isTooLarge(frame: string): boolean {
  if (frame.length * 3 <= MAX_FRAME_BYTES) return false;
  return new TextEncoder().encode(frame).byteLength > MAX_FRAME_BYTES;
}

function parseFrame(frame: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(frame);
    return Array.isArray(value) && value.length <= MAX_MESSAGES ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function handleOne(deps: Deps, session: RunnerSession, raw: unknown): Promise<Replies> {
  const parsed = RunnerMessage.safeParse(raw);
  if (!parsed.success) {
    const type = typeof raw === 'object' && raw !== null && 'type' in raw ? String(raw.type) : 'unknown';
    const known = RunnerMessage.options.some((option) => option.shape.type.value === type);
    const issue = parsed.error.issues[0];
    const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
    return [
      finalError(known ? 'INVALID' : 'UNSUPPORTED', `${type.slice(0, 64)}: ${known ? where : 'unknown message'}`),
    ];
  }
  const message = parsed.data;
  if (session.session === null && message.type !== 'hello') {
    return [finalError('NO_SESSION', 'say hello first')];
  }
  try {
    return await dispatch(deps, session, message);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    deps.logger.error('runner message failed', { type: message.type, runnerId: session.runnerId, error: words });
    const ref = 'ref' in message && message.ref !== undefined ? { ref: message.ref } : {};
    const about = 'attemptId' in message && message.attemptId !== undefined ? { attemptId: message.attemptId } : {};
    return [retryableError('UNAVAILABLE', 'try again', { ...ref, ...about })];
  }
}

async function dispatch(deps: Deps, session: RunnerSession, message: RunnerMessage): Promise<Replies> {
  switch (message.type) {
    case 'hello':
      return handleHello(deps, session, message);
    case 'accept':
      return handleAccept(deps, session, message);
    case 'decline':
      return handleDecline(deps, session, message);
    case 'renew':
      return handleRenew(deps, session, message);
    case 'events':
      return handleEvents(deps, session, message);
    case 'finish':
      return handleFinish(deps, session, message);
    case 'released':
      return handleReleased(deps, session, message);
    case 'call':
      return answerCall(deps, session, message);
    case 'result':
      deps.calls.settle(session.runnerId, message);
      return [];
    case 'drain':
      return markDraining(deps, session);
    case 'delta':
      // The lossy lane: live text that is never stored. Nobody listens to it yet.
      return [];
    case 'error':
      deps.logger.warn('runner reports an error', { runnerId: session.runnerId, code: message.code, error: message.message });
      return [];
  }
}
