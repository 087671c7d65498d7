import { z } from '@hono/zod-openapi';

/** Number of entries on a list page: 50 by default, at most 500. */
export const PageLimit = z.coerce
  .number()
  .int()
  .min(1)
  .max(500)
  .default(50)
  .describe('Entries to answer.');

/** Query of a list page by offset. */
export const OffsetPage = z.object({
  limit: PageLimit,
  offset: z.coerce.number().int().min(0).default(0).describe('Entries to leave out first.'),
});

/** Query of a list page by the cursor where the previous page ended. */
export const CursorPage = z.object({
  limit: PageLimit,
  cursor: z.string().max(500).optional().describe('`nextCursor` of the page before.'),
});
