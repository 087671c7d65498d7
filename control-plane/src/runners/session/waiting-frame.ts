import { TARGET_FRAME_BYTES, WINDOW_EVENTS } from '@switchyard/shared/protocol/limits';
import { RunnerMessage, type RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { isNestedTooDeep } from '../../json-depth.ts';

const MAX_MESSAGES = 256;

type ReadMessage = { raw: unknown; parsed: ReturnType<typeof RunnerMessage.safeParse> };

/** A frame of a session from its arrival to its turn; what was read of it is read once. */
export type WaitingFrame = {
  text: string;
  /** Null for a text that is no frame; absent before the first look. */
  messages?: ReadMessage[] | null;
  /** Set when an earlier turn has stored and acknowledged this frame's events with its own. */
  answered?: boolean;
};

/** The messages of a frame, each parsed by its schema; null for what is no JSON array of messages. */
export function readFrame(frame: WaitingFrame): ReadMessage[] | null {
  if (frame.messages !== undefined) return frame.messages;
  frame.messages =
    parseArray(frame.text)?.map((raw) => ({ raw, parsed: RunnerMessage.safeParse(raw) })) ?? null;
  return frame.messages;
}

export type Continuation = { frame: WaitingFrame; message: RunnerMessageOf<'events'> };

/**
 * The frames in the queue that only continue `first`, so that what a runner has sent in a row costs
 * one commit. Frames of other attempts may stand between; anything else ends the search. At most
 * one credit window and one frame's size come together.
 */
export function continuationsOf(
  waiting: readonly WaitingFrame[],
  first: RunnerMessageOf<'events'>,
  firstLength: number,
): Continuation[] {
  const found: Continuation[] = [];
  let next = first.from + first.items.length;
  let length = firstLength;
  for (const frame of waiting) {
    if (frame.answered === true) continue;
    const message = onlyEvents(frame);
    if (message === null) break;
    if (message.attemptId !== first.attemptId) continue;
    length += frame.text.length;
    const end = next + message.items.length;
    if (message.epoch !== first.epoch || message.from !== next) break;
    if (end - first.from > WINDOW_EVENTS || length > TARGET_FRAME_BYTES) break;
    found.push({ frame, message });
    next = end;
  }
  return found;
}

function onlyEvents(frame: WaitingFrame): RunnerMessageOf<'events'> | null {
  const messages = readFrame(frame);
  const message = messages?.length === 1 ? messages[0]?.parsed.data : undefined;
  return message?.type === 'events' ? message : null;
}

function parseArray(text: string): unknown[] | null {
  if (isNestedTooDeep(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length <= MAX_MESSAGES ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
