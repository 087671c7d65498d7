import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ApiDocument } from './api-pages.ts';
import { ROOT } from './read-pages.ts';

const READY_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 30_000;

/** The OpenAPI document of this checkout: starts a control plane in a temporary folder and asks it. */
export async function fetchApiDocument(): Promise<ApiDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-docs-'));
  const own = ['start', '--no-runner', '--no-open', '--port', '0', '--data-dir', folder];
  // What this machine has configured for a service of its own is nothing to this one.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'));
  const service = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(ROOT, 'control-plane/cli/switchyard.ts'),
      ...own,
    ],
    { cwd: folder, env: Object.fromEntries(inherited), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(service, 'exit');
  const timer = setTimeout(() => service.kill('SIGKILL'), READY_TIMEOUT_MS + ANSWER_TIMEOUT_MS);
  try {
    const url = await readyUrl(service.stdout);
    const answer = await fetch(`${url}/api/v1/openapi.json`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`the OpenAPI document was answered with ${answer.status}`);
    return (await answer.json()) as ApiDocument;
  } finally {
    service.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
    await rm(folder, { recursive: true, force: true });
  }
}

async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /^ready (http:\/\/\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the control plane ended before it was ready; its last words stand above');
}
