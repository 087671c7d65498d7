#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { serviceEnvironment, serviceNodeOptions } from './bootstrap/service-node-options.mjs';

/** As npm warns when it installs the package: `>=MAJOR.MINOR`. */
const OLDEST_NODE = packageJson.engines.node.replace('>=', '');
const EXIT_NOT_CONFIGURED = 3;
/** Programs that run for long, by the command that starts them. */
const COMMAND_LINE = new URL('./switchyard.ts', import.meta.url);
const RUNNER = new URL('../../runner/src/main.ts', import.meta.url);

/**
 * The installed `switchyard` command. A service runs in a process of its own, since memory settings
 * of Node and of the C library have to be there before a process starts; everything else runs here.
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

/** Node 22 and later keeps compiled programs there, which a start would spend a third of its time on. */
function compileCache(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'switchyard', 'compiled');
}

launch(process.argv.slice(2));
