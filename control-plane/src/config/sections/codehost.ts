import { z } from 'zod';
import { CODEHOST_KINDS, codehostSections } from '../integrations/codehost-sections.ts';

/** `codehost.*`: where pull requests are opened. */
export const CodehostSection = z.strictObject({
  kind: z
    .enum(CODEHOST_KINDS)
    .optional()
    .describe(
      '`local`: only the built-in host. Left out or another: that one too, once configured.',
    ),
  ...codehostSections,
});
