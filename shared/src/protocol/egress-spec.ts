import { z } from 'zod';

/**
 * A host that may be reached: `registry.example.org`, `*.example.org` (a star stands for exactly one
 * label; the last two labels are fixed) or an address, each with an optional `:port`. Without a port
 * 80 and 443 are meant.
 */
export const HostRule = z
  .string()
  .max(260)
  .regex(
    /^(?:(?:(?:\*|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)\.)*(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[1-9][0-9]{0,4})?$/i,
    'must be a host, with * for single labels before the last two, and optionally :port',
  )
  .refine((text) => !/(?:^|\.)\*\.[^.]+$/.test(text.replace(/:\d+$/, '')), {
    message: 'a star needs at least two labels behind it',
  });

/** Which hosts an attempt may reach beside its model provider; the runner's proxy enforces it. */
export const EgressSpec = z.object({
  /**
   * `none`: nothing. `registries`: the package registries that the runner's own npm, pip, cargo and
   * apt are set up with. `codehost`: those, and the repository's host for reading. `custom`: only
   * `hosts`.
   */
  preset: z.enum(['none', 'registries', 'codehost', 'custom']),
  /** Further hosts; of no effect with `none`. */
  hosts: z.array(HostRule).max(200),
  /** Both directions of the whole attempt together. */
  maxBytes: z.int().min(1),
});
export type EgressSpec = z.infer<typeof EgressSpec>;
