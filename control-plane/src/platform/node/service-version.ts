import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The checkout or installed package this process runs from. */
export const repositoryRoot = fileURLToPath(new URL('../../../../', import.meta.url));

const Package = z.object({ version: z.string() });

/** Version of the service, as package.json says. */
export const serviceVersion = Package.parse(
  JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')),
).version;
