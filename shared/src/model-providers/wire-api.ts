import { z } from 'zod';
import { WIRE_APIS } from './wire-apis.ts';

/** One of the formats in which model providers are asked. */
export const WireApi = z.enum(WIRE_APIS);
export type WireApi = z.infer<typeof WireApi>;
