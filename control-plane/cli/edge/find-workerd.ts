import { createRequire } from 'node:module';
import { z } from 'zod';

/** The command that runs the runtime: a program and its first arguments. */
export type Workerd = readonly [string, ...string[]];

/** The version of workerd that the Worker is tested with. */
const WORKERD_VERSION = '1.20261102.1';

const Program = z.object({ default: z.string() });
const Manifest = z.object({ version: z.string() });

/** The checkout's Workers runtime; in a package npm fetches it. */
export function findWorkerd(say: (line: string) => void): Workerd {
  const path = installedWorkerd();
  if (path !== null) return [path];
  say(`npm fetches workerd ${WORKERD_VERSION}`);
  return [
    ...(['npm', 'exec', '--yes', '--ignore-scripts'] as const),
    `--package=workerd@${WORKERD_VERSION}`,
    '--',
    'workerd',
  ];
}

/**
 * Path of the installed binary for this machine, from its package. Null when it is missing or of
 * another version.
 */
function installedWorkerd(): string | null {
  const load = createRequire(import.meta.url);
  try {
    const { version } = Manifest.parse(load('workerd/package.json'));
    return version === WORKERD_VERSION ? Program.parse(load('workerd')).default : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
