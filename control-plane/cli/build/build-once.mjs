import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHeartbeat } from '../bootstrap/heartbeat.mjs';
import { holdLock } from '../bootstrap/hold-lock.mjs';
import { runStep } from '../bootstrap/run-step.mjs';
import { sourceStamp } from './source-stamp.mjs';

const buildTimeoutMs = 5 * 60_000;

/**
 * Builds a folder when a source has changed since the last build. The folder is built elsewhere and
 * renamed into place, since a service may be using the former one. Concurrent callers share one
 * build.
 *
 * @param {string} root absolute path of the checkout
 * @param {{ node: string, env(base: object): object }} toolchain Node to build with
 * @param {{ attach(child: object): void, checkpoint(): void }} signals
 * @param {{ what: string, sources: string[], commit?: string, recommit?(from: string): boolean,
 *   built: string, cwd: string, args(making: string): string[], env: object }} build `commit` is
 *   the commit that the build should name, empty: any will do; `recommit` replaces it in a build of
 *   the same sources, and returns false when a new build is needed; `built` is the folder's
 *   absolute path; `args` returns Node's arguments for a build into the folder `making`
 * @throws {import('../bootstrap/bootstrap-error.mjs').BootstrapError} when the build fails or times
 *   out
 */
export async function buildOnce(root, toolchain, signals, build) {
  const stampPath = join(build.built, '.build-stamp');
  const making = join(root, '.toolchain', build.what.replaceAll(' ', '-'));
  const { commit = '' } = build;
  const stamp = sourceStamp(root, build.sources);
  /** The commit of a build of the same sources; null: there is none. */
  const madeOf = () => {
    if (!existsSync(stampPath)) return null;
    const [sources, made = ''] = readFileSync(stampPath, 'utf8').split(' ');
    return sources === stamp ? made : null;
  };
  const isCurrent = () => {
    const made = madeOf();
    return made !== null && (commit === '' || commit === made);
  };
  if (isCurrent()) return;
  await holdLock(join(root, '.toolchain', 'lock'), signals, async () => {
    if (isCurrent()) return;
    const made = madeOf();
    if (made !== null && build.recommit?.(made) === true) {
      writeFileSync(stampPath, `${stamp} ${commit}`);
      return;
    }
    const heartbeat = startHeartbeat(`building ${build.what}`);
    try {
      await runStep(signals, {
        what: `building ${build.what}`,
        command: toolchain.node,
        args: build.args(making),
        cwd: build.cwd,
        env: { ...toolchain.env(process.env), ...build.env },
        timeoutMs: buildTimeoutMs,
      });
      writeFileSync(join(making, '.build-stamp'), `${stamp} ${commit}`);
      putInPlace(making, build.built);
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
