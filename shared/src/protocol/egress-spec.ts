import { z } from 'zod';
import { HostRule } from '../sandbox/host-rule.ts';

/**
 * Hosts that an attempt may reach in addition to its model provider; the runner's proxy enforces
 * it.
 */
export const EgressSpec = z.object({
  /**
   * `none`: no hosts. `registries`: the package registries in the configuration of the runner's
   * npm, pip, cargo and apt. `codehost`: those, and read access to the repository's host. `custom`:
   * only `hosts`.
   */
  preset: z.enum(['none', 'registries', 'codehost', 'custom']),
  /** Further hosts; ignored with `none`. */
  hosts: z.array(HostRule).max(200),
  /** Limit for both directions of the complete attempt together. */
  maxBytes: z.int().min(1),
});
export type EgressSpec = z.infer<typeof EgressSpec>;
