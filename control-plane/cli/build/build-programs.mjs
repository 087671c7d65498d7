import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildCommit, replaceCommit } from './build-commit.mjs';
import { buildOnce } from './build-once.mjs';

/**
 * Builds dist/ (command line, runner, helper programs, Worker) when a source has changed; after a
 * new commit alone, the commit in the build is replaced.
 */
export async function buildPrograms(root, toolchain, signals) {
  const script = join(root, 'control-plane/cli/build/build-command.mjs');
  if (!existsSync(script)) return;
  const place = join(root, 'dist');
  const commit = buildCommit(root);
  await buildOnce(root, toolchain, signals, {
    what: 'the programs',
    sources: [
      'control-plane',
      'runner',
      'shared',
      'package-lock.json',
      'package.json',
      'wrangler.toml',
    ],
    commit,
    recommit: (from) => replaceCommit(root, place, from, commit),
    built: place,
    cwd: root,
    args: (making) => [script, root, making, place, commit],
    env: {},
  });
}
