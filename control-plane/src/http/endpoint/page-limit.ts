import { z } from '@hono/zod-openapi';

/** How many entries a page has at most, and without a word. */
export const PageLimit = z.coerce
  .number()
  .int()
  .min(1)
  .max(500)
  .default(50)
  .describe('Entries to answer.');

/** A page of a list by its place. */
export const OffsetPage = z.object({
  limit: PageLimit,
  offset: z.coerce.number().int().min(0).default(0).describe('Entries to leave out first.'),
});

/** A page of a list by where the one before it ended. */
export const CursorPage = z.object({
  limit: PageLimit,
  cursor: z.string().max(500).optional().describe('`nextCursor` of the page before.'),
});
