import type { WireApi } from './wire-api.ts';

/** Version of the Messages API for requests that name none. */
const MESSAGES_VERSION = '2023-06-01';

/** What a provider wants in front of a request, by its format; `apiKey` null: it wants no key. */
export function providerHeaders(wireApi: WireApi, apiKey: string | null): Record<string, string> {
  const version: Record<string, string> =
    wireApi === 'messages' ? { 'anthropic-version': MESSAGES_VERSION } : {};
  if (apiKey === null) return version;
  if (wireApi === 'messages') return { ...version, 'x-api-key': apiKey };
  return wireApi === 'gemini'
    ? { 'x-goog-api-key': apiKey }
    : { authorization: `Bearer ${apiKey}` };
}
