import { z } from 'zod';

/** The isolation in force, as the API and the dashboard show it. */
export const Isolation = z.enum(['docker', 'process']);
export type Isolation = z.infer<typeof Isolation>;
