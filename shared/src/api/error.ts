import { z } from 'zod';

/** Every error of the API. */
export const ErrorBody = z
  .object({
    error: z.string(),
    status: z.int(),
    code: z.string().optional(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;
