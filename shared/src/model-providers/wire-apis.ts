/**
 * Formats in which model providers are asked: OpenAI Responses, OpenAI Chat Completions, Anthropic
 * Messages, and Gemini `streamGenerateContent`. By themselves, for a page that needs no schema.
 */
export const WIRE_APIS = ['responses', 'chat', 'messages', 'gemini'] as const;
