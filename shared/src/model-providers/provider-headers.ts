import type { WireApi } from './wire-api.ts';

/** Version of the Messages API that is sent for requests without one. */
const MESSAGES_VERSION = '2023-06-01';

/**
 * Request headers that a provider requires, by its API format; `apiKey` null: it requires no key.
 */
export function providerHeaders(wireApi: WireApi, apiKey: string | null): Record<string, string> {
  const version: Record<string, string> =
    wireApi === 'messages' ? { 'anthropic-version': MESSAGES_VERSION } : {};
  if (apiKey === null) return version;
  if (wireApi === 'messages') return { ...version, 'x-api-key': apiKey };
  return wireApi === 'gemini'
    ? { 'x-goog-api-key': apiKey }
    : { authorization: `Bearer ${apiKey}` };
}
