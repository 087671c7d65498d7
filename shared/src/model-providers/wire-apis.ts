/** This file imports no schema library, for pages without one. */
export const WIRE_APIS = ['responses', 'chat', 'messages', 'gemini'] as const;
