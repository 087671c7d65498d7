/**
 * API formats of model providers: OpenAI Responses, OpenAI Chat Completions, Anthropic Messages,
 * and Gemini `streamGenerateContent`. In a file without schemas, for pages that need none.
 */
export const WIRE_APIS = ['responses', 'chat', 'messages', 'gemini'] as const;
