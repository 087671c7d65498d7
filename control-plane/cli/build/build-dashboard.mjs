import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce } from './build-once.mjs';

/**
 * Builds dashboard/dist when a source has changed. Types of the control plane are not among the
 * sources: they leave no code in the build.
 */
export async function buildDashboard(root, toolchain, signals) {
  const folder = join(root, 'dashboard');
  if (!existsSync(join(folder, 'index.html'))) return;
  await buildOnce(root, toolchain, signals, {
    what: 'the dashboard',
    sources: ['dashboard', 'docs', 'shared/src', 'package-lock.json'],
    built: join(folder, 'dist'),
    cwd: folder,
    args: (making) => [
      join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
      'build',
      '--logLevel',
      'warn',
      '--outDir',
      making,
      '--emptyOutDir',
    ],
    env: { NODE_ENV: 'production' },
  });
}
