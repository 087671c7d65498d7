#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { serviceEnvironment, serviceNodeOptions } from './bootstrap/service-node-options.mjs';

const OLDEST_NODE = 20;
const EXIT_NOT_CONFIGURED = 3;
const SERVICES: ReadonlySet<string> = new Set(['start', 'demo']);

/**
 * The installed `switchyard` command. A service runs in a process of its own, since memory settings
 * of Node and of the C library have to be there before a process starts; everything else runs here.
 */
function launch(args: string[]): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    process.stderr.write(
      `switchyard: this is Node ${process.versions.node}: install Node ${OLDEST_NODE} or later\n`,
    );
    process.exit(EXIT_NOT_CONFIGURED);
  }
  if (SERVICES.has(args[0] ?? '') && !args.includes('--help')) serve(args);
  else void import('./switchyard.ts');
}

function serve(args: string[]): void {
  const script = fileURLToPath(new URL('./switchyard.ts', import.meta.url));
  const child = spawn(process.execPath, [...serviceNodeOptions(), script, ...args], {
    env: { ...serviceEnvironment, ...process.env },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
}

launch(process.argv.slice(2));
