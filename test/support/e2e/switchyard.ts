import { execFile } from 'node:child_process';
import { nodeCommand } from './start-service.ts';

const TIMEOUT_MS = 90_000;
const MAX_OUTPUT_BYTES = 10_000_000;

export type Ended = { code: number; stdout: string; stderr: string };

/** Runs the command line to its end, in a folder of its own; `uid`: as another user. */
export function switchyard(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  {
    uid,
    program,
    timeoutMs = TIMEOUT_MS,
  }: { uid?: number | undefined; program?: string; timeoutMs?: number } = {},
): Promise<Ended> {
  const [node, ...first] = nodeCommand;
  if (program !== undefined) first.splice(-1, 1, program);
  const options = {
    cwd,
    timeout: timeoutMs,
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  };
  return new Promise((resolve) => {
    execFile(node, [...first, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}
