import { chatFormat } from './chat-format.ts';
import { geminiFormat } from './gemini-format.ts';
import { messagesFormat } from './messages-format.ts';
import { responsesFormat } from './responses-format.ts';
import type { WireFormat } from './wire-format.ts';

const BY_PATH: Record<string, WireFormat> = {
  '/v1/responses': responsesFormat,
  '/v1/chat/completions': chatFormat,
  '/v1/messages': messagesFormat,
  '/v1/messages/count_tokens': messagesFormat,
};
const GEMINI =
  /^\/v1(?:beta)?\/models\/[^/:]+:(?:generateContent|streamGenerateContent|countTokens)$/;

/** The API format of a request path; null: the path belongs to none. */
export function formatAt(path: string): WireFormat | null {
  if (GEMINI.test(path)) return geminiFormat;
  return Object.hasOwn(BY_PATH, path) ? (BY_PATH[path] ?? null) : null;
}

/** Whether the request only counts tokens. */
export const isCount = (path: string): boolean => /[/:]count_?tokens$/i.test(path);
