import * as z from 'zod';
import type { RepositoryServer } from './agent-engine.ts';

const MAX_SERVERS = 16;
/** Name of the product's own tools; a repository must not use it. */
const OWN_NAME = 'switchyard';

const Words = z.record(z.string().max(200), z.string().max(8_192)).default({});
const Declaration = z.union([
  z.object({
    command: z.string().min(1).max(4_096),
    args: z.array(z.string().max(8_192)).max(100).default([]),
    env: Words,
  }),
  z.object({ url: z.url({ protocol: /^https?$/ }).max(2_048), headers: Words }),
]);
const File = z.object({
  mcpServers: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/), z.unknown())
    .default({}),
});

/**
 * MCP servers as declared in `.mcp.json`. Variables are not expanded: a container's environment has
 * nothing that a server needs. Throws, with a message for people, on an invalid declaration.
 */
export function readServerDeclarations(text: string): RepositoryServer[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('the file is not JSON, or is longer than 32 KiB');
  }
  const file = File.safeParse(json);
  if (!file.success) throw new Error('the file has no usable "mcpServers"');
  const entries = Object.entries(file.data.mcpServers);
  if (entries.length > MAX_SERVERS) throw new Error(`there are more than ${MAX_SERVERS}`);
  return entries.map(([name, declared]) => {
    if (name === OWN_NAME) throw new Error(`the name ${OWN_NAME} is taken`);
    const parsed = Declaration.safeParse(declared);
    if (!parsed.success) throw new Error(`server ${name} has neither a command nor a url`);
    return { name, ...parsed.data };
  });
}
