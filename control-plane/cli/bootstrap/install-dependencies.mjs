import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHeartbeat } from './heartbeat.mjs';
import { holdLock } from './hold-lock.mjs';
import { findNpm } from './find-npm.mjs';
import { runStep } from './run-step.mjs';

const installTimeoutMs = 15 * 60_000;

/**
 * Makes node_modules match package-lock.json. A stamp (checksum of the lock) makes the second call
 * a no-op; a folder that someone installed by hand is kept when npm's own record of it agrees with
 * the lock.
 */
export async function installDependencies(root, toolchain, signals) {
  const stamp = stampOf(root);
  if (isCurrent(root, stamp)) return;
  await holdLock(join(root, '.toolchain', 'lock'), signals, async () => {
    if (isCurrent(root, stamp)) return;
    if (!matchesLock(root)) await install(root, toolchain, signals);
    writeFileSync(stampPath(root), stamp);
  });
}

async function install(root, toolchain, signals) {
  const heartbeat = startHeartbeat('installing dependencies');
  try {
    await runStep(signals, {
      what: 'npm ci',
      command: toolchain.node,
      // NODE_ENV=production must not remove the tools that `start` itself needs.
      args: [
        findNpm(),
        'ci',
        '--include=dev',
        '--include=optional',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
      ],
      cwd: root,
      env: toolchain.env(process.env),
      timeoutMs: installTimeoutMs,
    });
    heartbeat.done();
  } finally {
    heartbeat.stop();
  }
}

function stampPath(root) {
  return join(root, 'node_modules', '.switchyard-stamp');
}

function stampOf(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')}\n`;
}

function isCurrent(root, stamp) {
  return existsSync(stampPath(root)) && readFileSync(stampPath(root), 'utf8') === stamp;
}

/** Whether npm's record of node_modules has every entry of the lock, optional ones aside. */
function matchesLock(root) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const agrees = ([path, entry]) => {
    if (!path.includes('node_modules/')) return true;
    const found = installed[path];
    if (!found) return entry.optional === true || entry.devOptional === true;
    return (
      found.version === entry.version && found.integrity === (entry.integrity ?? found.integrity)
    );
  };
  return (
    Object.entries(locked).every(agrees) && Object.keys(installed).every((path) => path in locked)
  );
}
