import { z } from 'zod';

/** Name of a Debian base image, with its registry where that is not the default one. */
export const BaseImage = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9][\w.:/@-]*$/, 'must be the name of an image, such as debian:bookworm-slim');

/**
 * The sandbox image of a runner. `ready`: new attempts run in containers of it. `missing`: Docker
 * responds and lacks the image. `providing`: it is being built or pulled. `failed`: the build or
 * pull failed with `problem`. `unavailable`: `problem` must be solved before a build can help.
 */
export const SandboxImage = z
  .object({
    state: z.enum(['ready', 'missing', 'providing', 'failed', 'unavailable']),
    /** Name of the image. */
    image: z.string().max(512),
    /** `pull` for a configured image, which is never built. */
    source: z.enum(['build', 'pull']),
    /**
     * Debian image that the sandbox image is built on by default; null for an image that is pulled.
     * Left out by runners that cannot build on another one.
     */
    baseImage: z.string().max(512).nullable().optional(),
    /** The current step as a text for people; null unless `providing`. */
    step: z.string().max(300).nullable(),
    /** Progress in percent; null where it is unknown. */
    percent: z.int().min(0).max(100).nullable(),
    /** What happened, why, and what to do about it. */
    problem: z.string().max(2_000).nullable(),
  })
  .meta({ id: 'SandboxImage' });
export type SandboxImage = z.infer<typeof SandboxImage>;
