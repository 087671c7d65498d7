import { z } from 'zod';

/** One UTC day: what was used, and how the attempts that began on it ended. */
export const UsageDay = z
  .object({
    /** `YYYY-MM-DD`. */
    day: z.iso.date(),
    tokens: z.int(),
    costUsd: z.number(),
    completed: z.int(),
    /** Failed, stalled and out of memory. */
    failed: z.int(),
    cancelled: z.int(),
  })
  .meta({ id: 'UsageDay' });
export type UsageDay = z.infer<typeof UsageDay>;

/** `GET /api/v1/usage`: every day of the period, the empty ones too, oldest first. */
export const Usage = z.object({ days: z.array(UsageDay) }).meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;
