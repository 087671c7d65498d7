#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { serviceEnvironment, serviceNodeOptions } from './bootstrap/service-node-options.mjs';

/**
 * The oldest supported Node from `>=MAJOR.MINOR`, about which npm also warns at the installation.
 */
const OLDEST_NODE = packageJson.engines.node.replace('>=', '');
const EXIT_NOT_CONFIGURED = 3;
/** Programs of long-running commands, by the command that starts them. */
const COMMAND_LINE = new URL('./switchyard.ts', import.meta.url);
const RUNNER = new URL('../../runner/src/main.ts', import.meta.url);

/**
 * The installed `switchyard` command. A service runs in its own process, since memory settings of
 * Node and the C library must exist before the process starts; everything else runs in this one.
 */
function launch(args: string[]): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    process.stderr.write(
      `switchyard: this is Node ${process.versions.node}: install Node ${OLDEST_NODE} or later\n`,
    );
    process.exit(EXIT_NOT_CONFIGURED);
  }
  const [name, ...rest] = args;
  const isService = (name === 'start' || name === 'demo') && !rest.includes('--help');
  if (isService) serve(COMMAND_LINE, args);
  else if (name === 'runner') serve(RUNNER, rest);
  else void import('./switchyard.ts');
}

function serve(program: URL, args: string[]): void {
  const options = [...serviceNodeOptions(), fileURLToPath(program), ...args];
  const child = spawn(process.execPath, options, {
    env: { ...serviceEnvironment, NODE_COMPILE_CACHE: compileCache(), ...process.env },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
}

/**
 * Folder in which Node 22 and later caches compiled programs, which saves a third of the start
 * time.
 */
function compileCache(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'switchyard', 'compiled');
}

launch(process.argv.slice(2));
