import { TARGET_FRAME_BYTES, WINDOW_EVENTS } from '@switchyard/shared/protocol/limits';
import { RunnerMessage, type RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { isNestedTooDeep } from '../../json-depth.ts';

const MAX_MESSAGES = 256;

type ReadMessage = { raw: unknown; parsed: ReturnType<typeof RunnerMessage.safeParse> };

/** A frame from its arrival until it is handled; it is parsed once. */
export type WaitingFrame = {
  text: string;
  /** The parsed messages; null for an invalid frame, absent before parsing. */
  messages?: ReadMessage[] | null;
  /** Set when an earlier frame's commit has already stored and acknowledged this one's events. */
  answered?: boolean;
};

/** The messages of a frame, each parsed by its schema; null if the text is no JSON array. */
export function readFrame(frame: WaitingFrame): ReadMessage[] | null {
  if (frame.messages !== undefined) return frame.messages;
  frame.messages =
    parseArray(frame.text)?.map((raw) => ({ raw, parsed: RunnerMessage.safeParse(raw) })) ?? null;
  return frame.messages;
}

export type Continuation = { frame: WaitingFrame; message: RunnerMessageOf<'events'> };

/**
 * The waiting frames that only continue `first`, so that consecutive events need one commit. Frames
 * of other attempts in between are skipped; anything else ends the search. The result fits one
 * credit window and one frame's size.
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
