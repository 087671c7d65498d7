import { z } from 'zod';

/**
 * Formats in which model providers are asked: OpenAI Responses, OpenAI Chat Completions, Anthropic
 * Messages, and Gemini `streamGenerateContent`.
 */
export const WireApi = z.enum(['responses', 'chat', 'messages', 'gemini']);
export type WireApi = z.infer<typeof WireApi>;
