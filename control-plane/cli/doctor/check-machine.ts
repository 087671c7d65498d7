import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseJson } from '@switchyard/shared/text/parse-json';
import { z } from 'zod';
import { runnerCommand } from '../local-runner.ts';
import type { Finding } from './finding.ts';

const CHECK_TIMEOUT_MS = 60_000;
const BUILD_TIMEOUT_MS = 1_800_000;
const Failed = z.object({ error: z.string() });
const Checks = z.object({
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['ok', 'warn', 'fail']),
      detail: z.string(),
      fix: z.string().nullable(),
      fixCommand: z.enum(['sandbox:build']).nullable(),
    }),
  ),
});

/** Findings of the runner program about this machine. */
export async function checkMachine(dataDir: string): Promise<Finding[]> {
  const { command, args } = runnerCommand([
    'check',
    '--json',
    '--data-dir',
    join(dataDir, 'runner'),
  ]);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: CHECK_TIMEOUT_MS,
  });
  const output = parseJson(await text(child.stdout));
  const failed = Failed.safeParse(output);
  if (failed.success) throw new Error(failed.data.error);
  const { checks } = Checks.parse(output);
  return checks.map(({ fixCommand, ...check }) => ({
    ...check,
    mend: fixCommand === null ? null : buildImage,
  }));
}

async function buildImage(): Promise<string> {
  const { command, args } = runnerCommand(['build-image']);
  const child = spawn(command, args, {
    stdio: ['ignore', process.stderr, process.stderr],
    timeout: BUILD_TIMEOUT_MS,
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the build of the sandbox image ended with ${code}`);
  return 'the sandbox image is built';
}
