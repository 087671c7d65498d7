import { z } from 'zod';
import { namedObject } from '../named-object.ts';

/** The body of every error response of the API. */
export const ErrorBody = namedObject('Error', {
  error: z.string(),
  status: z.int(),
  code: z.string().optional(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  requestId: z.string().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
