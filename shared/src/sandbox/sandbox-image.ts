import { z } from 'zod';

/**
 * The sandbox image of a runner. `ready`: new attempts run in containers of it. `missing`: Docker
 * answers and has no such image. `providing`: it is being built or pulled. `failed`: that ended
 * with `problem`. `unavailable`: a build would not help, because of `problem`.
 */
export const SandboxImage = z
  .object({
    state: z.enum(['ready', 'missing', 'providing', 'failed', 'unavailable']),
    /** Name of the image. */
    image: z.string().max(512),
    /** A configured image is pulled and never built. */
    source: z.enum(['build', 'pull']),
    /** What is being done, in words for people; null unless `providing`. */
    step: z.string().max(300).nullable(),
    /** How much of it is done, where that is known. */
    percent: z.int().min(0).max(100).nullable(),
    /** What happened, why, and what to do about it. */
    problem: z.string().max(2_000).nullable(),
  })
  .meta({ id: 'SandboxImage' });
export type SandboxImage = z.infer<typeof SandboxImage>;
