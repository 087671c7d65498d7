import { z } from 'zod';
import { namedObject } from '../../named-object.ts';

export const SearchKind = z.enum(['issue', 'pull_request', 'label', 'setting', 'secret', 'log']);
export type SearchKind = z.infer<typeof SearchKind>;

export const SearchResult = namedObject('SearchResult', {
  kind: SearchKind,
  title: z.string(),
  /**
   * Text around the match, or what distinguishes this result from others; null: the title is
   * enough.
   */
  detail: z.string().nullable(),
  link: z.string().describe('A page of the dashboard, or where a code host shows it.'),
  rank: z.number().describe('Higher is nearer: whole words and titles count most.'),
});
export type SearchResult = z.infer<typeof SearchResult>;

/**
 * `GET /api/v1/search`: the pages and records that contain all terms of the query, best match
 * first.
 */
export const SearchAnswer = namedObject('SearchAnswer', {
  query: z.string(),
  results: z.array(SearchResult),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
