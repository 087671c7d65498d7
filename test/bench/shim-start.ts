import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  SHIM_PATH,
  commandArguments,
} from '../../runner/src/container/docker/hardened-host-config.ts';
import { median } from './median.ts';

const RUN_TIMEOUT_MS = 60_000;

/** Medians, milliseconds: `docker run` of a program that ends at once. */
export type ShimStart = { withoutMs: number; withMs: number; ratio: number };

/**
 * The same container with and without our first process, which proves that no packet can leave,
 * opens the way to the proxy and starts the program. Both take turns, so that both see the same load.
 */
export async function measureShimStart(image: string, repeats: number): Promise<ShimStart> {
  const access = { socketFolder: '/run/switchyard', hostPort: 0 };
  const without: number[] = [];
  const behind: number[] = [];
  for (let repeat = 0; repeat <= repeats; repeat += 1) {
    const bareMs = await timeRun(image, '/bin/true', []);
    const shimMs = await timeRun(image, SHIM_PATH, [...commandArguments(access), '/bin/true']);
    // The first of each warms caches up.
    if (repeat === 0) continue;
    without.push(bareMs);
    behind.push(shimMs);
  }
  const [withoutMs, withMs] = [median(without), median(behind)];
  return { withoutMs, withMs, ratio: withMs / withoutMs };
}

async function timeRun(image: string, program: string, words: string[]): Promise<number> {
  const startedMs = performance.now();
  const options = ['--rm', '--network', 'none', '--cap-drop', 'ALL', '--read-only'];
  await promisify(execFile)(
    'docker',
    ['run', ...options, '--entrypoint', program, image, ...words],
    {
      timeout: RUN_TIMEOUT_MS,
    },
  );
  return performance.now() - startedMs;
}

/** For the table. */
export function shimRows(start: ShimStart): [what: string, value: string][] {
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return [
    ['container: run without the shim', ms(start.withoutMs)],
    ['container: the same with it', ms(start.withMs)],
    ['container: ratio', start.ratio.toFixed(2)],
  ];
}
