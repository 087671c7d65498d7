import { z } from '@hono/zod-openapi';
import { isUnchanged } from '../is-unchanged.ts';
import { sendReadyJson } from '../send-json.ts';
import { endpoint, json, raw } from '../endpoint/endpoint.ts';
import { versionOf } from '../../version-of.ts';
import type { ApiDocument } from './api-document.ts';
import { EXPLORER_PAGE, EXPLORER_POLICY } from './explorer-page.ts';

const Query = z.object({
  version: z.enum(['3.1', '3.0']).default('3.1').describe('Version of the OpenAPI format'),
});
type Version = z.infer<typeof Query>['version'];

/**
 * Routes of the OpenAPI document and of a page to try it; `make` is called once for each version.
 */
export function docRoutes(make: (version: Version) => ApiDocument) {
  const made = new Map<Version, { bytes: Uint8Array<ArrayBuffer>; tag: string }>();
  // The document as bytes that all requests share: it is large and public.
  const document = (version: Version) => {
    const known = made.get(version);
    if (known !== undefined) return known;
    const text = JSON.stringify(make(version));
    const bytes = new Uint8Array(new TextEncoder().encode(text));
    const given = { bytes, tag: versionOf(text) };
    made.set(version, given);
    return given;
  };
  return [
    endpoint({
      at: 'GET /api/v1/openapi.json',
      summary: 'This document, in version 3.1 or 3.0',
      query: Query,
      answer: json(200, 'The OpenAPI document', z.looseObject({ openapi: z.string() })),
      handler: ({ c, query }) => {
        const { bytes, tag } = document(query.version);
        if (isUnchanged(c, tag)) return c.body(null, 304);
        return sendReadyJson(c, bytes);
      },
    }),
    endpoint({
      at: 'GET /api/docs',
      summary: 'A page on which to read and try the API',
      answer: raw('text/html', 'The page'),
      handler: ({ c }) =>
        c.html(EXPLORER_PAGE, 200, { 'Content-Security-Policy': EXPLORER_POLICY }),
    }),
  ] as const;
}
