import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { providerHeaders } from '@switchyard/shared/model-providers/provider-headers';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/** Headers in which engines send the attempt's token in place of the provider's key. */
export const credentialHeaders = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
] as const;

/** Tokens in a request's headers, whichever its engine uses; never those in its url. */
export function presentedTokens(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(headers.authorization ?? '')?.[1];
  const keys = credentialHeaders.slice(1).map((name) => headers[name]);
  return [bearer, ...keys].filter(
    (token) => typeof token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(token),
  ) as string[];
}

/** Sets the provider's key as its format requires; `apiKey` null: it needs none. */
export function addProviderKey(
  headers: OutgoingHttpHeaders,
  wireApi: WireApi,
  apiKey: string | null,
): void {
  for (const [name, value] of Object.entries(providerHeaders(wireApi, apiKey))) {
    // A version of the API that an engine names is kept.
    if (name !== 'anthropic-version' || headers[name] === undefined) headers[name] = value;
  }
}
