import { z } from 'zod';
import { WIRE_APIS } from './wire-apis.ts';

/** One of the API formats of model providers. */
export const WireApi = z.enum(WIRE_APIS);
export type WireApi = z.infer<typeof WireApi>;
