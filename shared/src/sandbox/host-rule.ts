import { z } from 'zod';

/**
 * A host that may be reached: `registry.example.org`, `*.example.org` (a star matches exactly one
 * label; the last two labels are fixed) or an address, each with an optional `:port`. Without a
 * port, 80 and 443 are allowed.
 */
export const HostRule = z
  .string()
  .max(260)
  .regex(
    // Upper and lower case are listed, since a pattern of JSON Schema, which this becomes, has no
    // flags.
    /^(?:(?:(?:\*|[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)\.)*(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)?[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::[1-9][0-9]{0,4})?$/,
    'must be a host, with * for single labels before the last two, and optionally :port',
  )
  .refine((text) => !/(?:^|\.)\*\.[^.]+$/.test(text.replace(/:\d+$/, '')), {
    message: 'a star needs at least two labels behind it',
  });
