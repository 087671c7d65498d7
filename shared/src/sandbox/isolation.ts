import { z } from 'zod';

/** Isolation really in force, as shown by the API and the dashboard. */
export const Isolation = z.enum(['docker', 'process']);
export type Isolation = z.infer<typeof Isolation>;
