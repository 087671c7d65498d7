import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { type JsonObject, listOf, objectOf, textOf } from './json-object.ts';
import type { ModelTokens } from './model-report.ts';
import { readTokens } from './read-tokens.ts';

/** The content of one part of a response: an event of a stream, or a whole body. */
export type AnswerPiece = {
  model: string | null;
  tokens: ModelTokens | null;
  /** The provider's error in its own form; null: none. */
  error: unknown;
  /** Whether the response is complete with this part. */
  isEnd: boolean;
};

/**
 * Texts of which every relevant part contains one: parsing every event would be too slow. Quotation
 * marks inside the model's text are escaped, so it cannot match.
 */
const needles: Record<WireApi, readonly Buffer[]> = {
  responses: buffers(
    '"response.completed"',
    '"response.incomplete"',
    '"response.failed"',
    '"response.done"',
    '"type":"error"',
    '"type": "error"',
  ),
  chat: buffers('"usage":{', '"usage": {', '"error":{', '"error": {'),
  messages: buffers('"usage"', '"message_stop"', '"type":"error"', '"type": "error"'),
  gemini: buffers('"usageMetadata"', '"error"'),
};

function buffers(...texts: string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}

/** Whether an event of a stream may contain tokens, an error or the end. */
export function isWorthReading(wireApi: WireApi, data: Buffer): boolean {
  return needles[wireApi].some((needle) => data.includes(needle));
}

const NOTHING: AnswerPiece = { model: null, tokens: null, error: null, isEnd: false };

/** Parses one event of a stream. */
export function readEvent(wireApi: WireApi, json: unknown): AnswerPiece {
  const event = objectOf(json);
  if (event === null) return NOTHING;
  switch (wireApi) {
    case 'responses':
      return ofResponsesEvent(event);
    case 'messages':
      return ofMessagesEvent(event);
    case 'chat':
    case 'gemini':
      return readBody(wireApi, event);
  }
}

function ofResponsesEvent(event: JsonObject): AnswerPiece {
  const type = textOf(event['type']) ?? '';
  if (type === 'error') return { ...NOTHING, error: objectOf(event['error']) ?? event };
  const response = objectOf(event['response']);
  if (response === null) return NOTHING;
  const isEnd = ['response.completed', 'response.incomplete', 'response.done'].includes(type);
  const { model, tokens, error } = readBody('responses', response);
  return { model, tokens, error: type === 'response.failed' ? (error ?? response) : null, isEnd };
}

function ofMessagesEvent(event: JsonObject): AnswerPiece {
  const type = textOf(event['type']);
  if (type === 'error') return { ...NOTHING, error: objectOf(event['error']) ?? event };
  if (type === 'message_stop') return { ...NOTHING, isEnd: true };
  const message = objectOf(event['message']) ?? event;
  return { ...NOTHING, ...modelAndTokens('messages', message) };
}

/** Parses a whole body, or one of several that a body lists. */
export function readBody(wireApi: WireApi, json: unknown): AnswerPiece {
  const body = objectOf(json);
  if (body === null) return NOTHING;
  const error = objectOf(body['error']) ?? textOf(body['error']);
  return { ...modelAndTokens(wireApi, body), error, isEnd: false };
}

function modelAndTokens(wireApi: WireApi, body: JsonObject): Pick<AnswerPiece, 'model' | 'tokens'> {
  if (wireApi === 'gemini') {
    const tokens = readTokens(wireApi, body['usageMetadata']);
    return { model: textOf(body['modelVersion']), tokens };
  }
  const usage = body['usage'] ?? (wireApi === 'chat' ? nestedUsage(body) : null);
  return { model: textOf(body['model']), tokens: readTokens(wireApi, usage) };
}

/** Other places where some providers of the chat format put the usage. */
function nestedUsage(body: JsonObject): unknown {
  const choice = objectOf(listOf(body['choices'])[0]);
  return objectOf(body['x_groq'])?.['usage'] ?? choice?.['usage'];
}
