import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startHeartbeat } from './heartbeat.mjs';
import { holdLock } from './hold-lock.mjs';
import { runStep } from './run-step.mjs';

const buildTimeoutMs = 5 * 60_000;
/** What a build reads; types of the control plane leave no trace in it. */
const sources = ['dashboard', 'docs', 'shared/src', 'package-lock.json'];
const skipped = new Set(['node_modules', 'dist', 'images']);

/**
 * Builds dashboard/dist when a source has changed since the last build. It is made elsewhere and put
 * in place whole, for a service may be handing out the one before.
 */
export async function buildDashboard(root, toolchain, signals) {
  const folder = join(root, 'dashboard');
  if (!existsSync(join(folder, 'index.html'))) return;
  const built = join(folder, 'dist');
  const stampPath = join(built, '.build-stamp');
  const making = join(root, '.toolchain', 'dashboard');
  const stamp = hashSources(root);
  const isCurrent = () => existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp;
  if (isCurrent()) return;
  await holdLock(join(root, '.toolchain', 'lock'), signals, async () => {
    if (isCurrent()) return;
    const heartbeat = startHeartbeat('building the dashboard');
    try {
      await runStep(signals, {
        what: 'building the dashboard',
        command: toolchain.node,
        args: [
          join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
          ...['build', '--logLevel', 'warn', '--outDir', making, '--emptyOutDir'],
        ],
        cwd: folder,
        env: { ...toolchain.env(process.env), NODE_ENV: 'production' },
        timeoutMs: buildTimeoutMs,
      });
      writeFileSync(join(making, '.build-stamp'), stamp);
      putInPlace(making, built);
      heartbeat.done();
    } finally {
      heartbeat.stop();
    }
  });
}

function putInPlace(made, place) {
  const before = `${made}-before`;
  rmSync(before, { recursive: true, force: true });
  if (existsSync(place)) renameSync(place, before);
  renameSync(made, place);
  rmSync(before, { recursive: true, force: true });
}

function hashSources(root) {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of filesUnder(join(root, source))) {
      hash
        .update(`${relative(root, path)}\0`)
        .update(readFileSync(path))
        .update('\0');
    }
  }
  return `${hash.digest('hex')}\n`;
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  const entries = readdirOrNull(path);
  if (entries === null) return [path];
  return entries
    .filter((entry) => !skipped.has(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesUnder(join(path, entry.name)) : [join(path, entry.name)],
    );
}

function readdirOrNull(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOTDIR') return null;
    throw error;
  }
}
