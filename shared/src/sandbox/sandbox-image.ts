import { z } from 'zod';

/** Name of a Debian image to build on, with the registry it comes from where that is another. */
export const BaseImage = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9][\w.:/@-]*$/, 'must be the name of an image, such as debian:bookworm-slim');

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
    /**
     * Debian image that it is built on when none is named; null for one that is pulled. Runners of
     * earlier versions do not tell it, and build on no other.
     */
    baseImage: z.string().max(512).nullable().optional(),
    /** What is being done, in words for people; null unless `providing`. */
    step: z.string().max(300).nullable(),
    /** How much of it is done, where that is known. */
    percent: z.int().min(0).max(100).nullable(),
    /** What happened, why, and what to do about it. */
    problem: z.string().max(2_000).nullable(),
  })
  .meta({ id: 'SandboxImage' });
export type SandboxImage = z.infer<typeof SandboxImage>;
