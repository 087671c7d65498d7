import { ControlPlaneMessage, type RunnerMessage } from '@switchyard/shared/protocol/messages';
import { cutText } from '@switchyard/shared/text/cut-text';
import { toJson } from '@switchyard/shared/text/well-formed-json';

/** An invalid part of a frame; `knownType` tells a malformed message from an unknown one. */
export type Unreadable = {
  type: string;
  knownType: boolean;
  ref?: string;
  attemptId?: string;
  epoch?: number;
  why: string;
};
export type Decoded = { messages: ControlPlaneMessage[]; unreadable: Unreadable[] };

const KNOWN = new Set<string>(
  ControlPlaneMessage.options.flatMap((option) => [...option.shape.type.values]),
);

function unreadable(value: unknown, why: string): Unreadable {
  const fields = (value ?? {}) as Record<string, unknown>;
  const type = typeof fields['type'] === 'string' ? cutText(fields['type'], 64) : '?';
  const result: Unreadable = { type, knownType: KNOWN.has(type), why: cutText(why, 500) };
  if (typeof fields['ref'] === 'string') result.ref = fields['ref'];
  if (typeof fields['attemptId'] === 'string') result.attemptId = fields['attemptId'];
  if (Number.isInteger(fields['epoch'])) result.epoch = fields['epoch'] as number;
  return result;
}

/** Decodes a frame message by message: an unknown or malformed one does not affect the others. */
export function decodeFrame(text: string): Decoded {
  const decoded: Decoded = { messages: [], unreadable: [] };
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return { messages: [], unreadable: [unreadable(null, 'a frame is not JSON')] };
  }
  for (const value of Array.isArray(frame) ? (frame as unknown[]) : [frame]) {
    const parsed = ControlPlaneMessage.safeParse(value);
    if (parsed.success) decoded.messages.push(parsed.data);
    else decoded.unreadable.push(unreadable(value, parsed.error.issues[0]?.message ?? 'malformed'));
  }
  return decoded;
}

const encoder = new TextEncoder();

/** Packs messages into frames of at most `targetBytes`; a larger message gets its own frame. */
export function encodeFrames(messages: readonly RunnerMessage[], targetBytes: number): string[] {
  const frames: string[] = [];
  let parts: string[] = [];
  let bytes = 2;
  for (const message of messages) {
    // Events are sent exactly as hashed: their payloads were made valid before.
    const json = message.type === 'events' ? JSON.stringify(message) : toJson(message);
    const size = encoder.encode(json).length + 1;
    if (parts.length > 0 && bytes + size > targetBytes) {
      frames.push(`[${parts.join(',')}]`);
      parts = [];
      bytes = 2;
    }
    parts.push(json);
    bytes += size;
  }
  if (parts.length > 0) frames.push(`[${parts.join(',')}]`);
  return frames;
}

/** The answer to an invalid message: an offer is declined, anything else is an error. */
export function unreadableAnswer(problem: Unreadable): RunnerMessage {
  const { type, attemptId, epoch } = problem;
  if (type === 'offer' && attemptId !== undefined && epoch !== undefined && epoch >= 1) {
    const message = `the offer is not readable here: ${problem.why}`;
    return { type: 'decline', attemptId, epoch, code: 'SPEC_INVALID', message };
  }
  return {
    type: 'error',
    code: problem.knownType ? 'MALFORMED' : 'UNSUPPORTED',
    message: cutText(`${type}: ${problem.why}`, 1_000),
    retryable: false,
    ...(problem.ref === undefined ? {} : { ref: cutText(problem.ref, 64) }),
  };
}
