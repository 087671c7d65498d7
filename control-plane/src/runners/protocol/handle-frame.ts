import { MAX_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import { RunnerMessage, type RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import type { Deps } from '../../deps.ts';
import { CLOSE_REVOKED } from '../admin/is-revoked.ts';
import {
  finalError,
  inOrder,
  type Replies,
  retryableError,
  type RunnerSession,
} from '../session/runner-session.ts';
import {
  type Continuation,
  continuationsOf,
  readFrame,
  type WaitingFrame,
} from '../session/waiting-frame.ts';

type FrameDeps = Pick<Deps, 'errors' | 'logger'> & {
  handleMessage: (session: RunnerSession, message: RunnerMessage) => Promise<Replies>;
};

/** `close` ends the connection after the replies are sent; its code is a WebSocket close code. */
export type FrameResult = { replies: Replies; close?: { code: number; reason: string } };

/** Close code for a runner of another protocol version; the reason names the supported range. */
const CLOSE_PROTOCOL = 4406;

/**
 * Handles one frame of a runner, a JSON array of messages, in the order of arrival. An invalid
 * message is answered with an error and the others are handled; a database failure is answered as
 * retryable and never fences.
 */
export function handleFrame(
  deps: FrameDeps,
  session: RunnerSession,
  text: string,
): Promise<FrameResult> {
  if (isTooLarge(text)) {
    return inOrder(session, () =>
      Promise.resolve({ replies: [], close: { code: 1009, reason: 'frame too large' } }),
    );
  }
  const frame: WaitingFrame = { text };
  session.waiting.push(frame);
  return inOrder(session, async () => {
    // Frames are handled in order of arrival, so the first waiting frame is this one.
    session.waiting.shift();
    if (frame.answered === true) return { replies: [] };
    const messages = readFrame(frame);
    if (messages === null) {
      return {
        replies: [finalError('MALFORMED', 'a frame is a JSON array of messages')],
        close: { code: 1007, reason: 'not a JSON array' },
      };
    }
    const [first] = messages;
    if (messages.length === 1 && first?.parsed.data?.type === 'events') {
      const events = first.parsed.data;
      const more = continuationsOf(session.waiting, events, text.length);
      if (more.length > 0) return { replies: await handleTogether(deps, session, events, more) };
    }
    const replies: Replies = [];
    for (const message of messages) replies.push(...(await handleOne(deps, session, message)));
    const isOver = replies.some((reply) => 'code' in reply && reply.code === 'RUNNER_REVOKED');
    if (isOver) return { replies, close: CLOSE_REVOKED };
    const unspoken = replies.find((reply) => reply.type === 'error' && reply.code === 'PROTOCOL');
    if (unspoken?.type !== 'error') return { replies };
    return { replies, close: { code: CLOSE_PROTOCOL, reason: unspoken.message } };
  });
}

/**
 * Stores the events of several frames in one commit and acknowledges them together. If that fails,
 * they are handled one by one, so that a faulty frame does not affect the others.
 */
async function handleTogether(
  deps: FrameDeps,
  session: RunnerSession,
  first: RunnerMessageOf<'events'>,
  more: readonly Continuation[],
): Promise<Replies> {
  const items = [first, ...more.map(({ message }) => message)].flatMap((part) => part.items);
  const [reply] = await handleMessage(deps, session, { ...first, items });
  const stored = reply?.type === 'ack' && reply.upto === first.from + items.length - 1;
  if (!stored) return handleMessage(deps, session, first);
  for (const { frame } of more) frame.answered = true;
  return [reply];
}

/** A character has at most three bytes, so short texts are accepted without counting. */
function isTooLarge(frame: string): boolean {
  if (frame.length * 3 <= MAX_FRAME_BYTES) return false;
  return new TextEncoder().encode(frame).byteLength > MAX_FRAME_BYTES;
}

async function handleOne(
  deps: FrameDeps,
  session: RunnerSession,
  { raw, parsed }: NonNullable<ReturnType<typeof readFrame>>[number],
): Promise<Replies> {
  if (!parsed.success) {
    const type =
      typeof raw === 'object' && raw !== null && 'type' in raw ? String(raw.type) : 'unknown';
    const known = RunnerMessage.options.some((option) => option.shape.type.value === type);
    const issue = parsed.error.issues[0];
    const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
    return [
      finalError(
        known ? 'INVALID' : 'UNSUPPORTED',
        `${cutText(type, 64)}: ${known ? where : 'unknown message'}`,
      ),
    ];
  }
  return handleMessage(deps, session, parsed.data);
}

async function handleMessage(
  deps: FrameDeps,
  session: RunnerSession,
  message: RunnerMessage,
): Promise<Replies> {
  if (session.session === null && message.type !== 'hello') {
    return [finalError('NO_SESSION', 'say hello first')];
  }
  try {
    return await deps.handleMessage(session, message);
  } catch (error) {
    const text = messageOf(error);
    const attemptId = 'attemptId' in message ? message.attemptId : undefined;
    deps.errors.capture(error, { operation: `runner message ${message.type}`, attemptId });
    deps.logger.error('runner message failed', {
      type: message.type,
      runnerId: session.runnerId,
      error: text,
    });
    const ref = 'ref' in message && message.ref !== undefined ? { ref: message.ref } : {};
    const about = attemptId === undefined ? {} : { attemptId };
    return [retryableError('UNAVAILABLE', 'try again', { ...ref, ...about })];
  }
}
