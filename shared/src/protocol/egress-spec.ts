import { z } from 'zod';
import { HostRule } from '../sandbox/host-rule.ts';

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
