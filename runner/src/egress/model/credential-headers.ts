import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { providerHeaders } from '@switchyard/shared/model-providers/provider-headers';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/** Headers in which engines send what they take for the provider's key: the attempt's token. */
export const credentialHeaders = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
] as const;

/** Tokens that a request shows, from whatever header its engine uses; never from its address. */
export function presentedTokens(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(headers.authorization ?? '')?.[1];
  const keys = credentialHeaders.slice(1).map((name) => headers[name]);
  return [bearer, ...keys].filter(
    (token) => typeof token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(token),
  ) as string[];
}

/** Puts the provider's key where its format wants it; `apiKey` null: it wants none. */
export function addProviderKey(
  headers: OutgoingHttpHeaders,
  wireApi: WireApi,
  apiKey: string | null,
): void {
  for (const [name, value] of Object.entries(providerHeaders(wireApi, apiKey))) {
    // An engine that names a version of the API means it.
    if (name !== 'anthropic-version' || headers[name] === undefined) headers[name] = value;
  }
}
