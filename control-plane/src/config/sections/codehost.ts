import { z } from 'zod';

const GitHub = z.strictObject({
  endpoint: z.url().max(2_048).optional().describe('Address of the API.'),
  token: z.string().max(8_192).optional().describe('Token, usually $SECRET:NAME.'),
});

/** `codehost.*`: where pull requests are opened. */
export const CodehostSection = z.strictObject({
  kind: z.enum(['local', 'github']).optional().describe('The code host.'),
  github: GitHub.optional().describe('GitHub, or a server that speaks its API.'),
});
