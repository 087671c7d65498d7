import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunnerLine } from './runner-line.ts';

const call = {
  attemptId: 'att_1',
  epoch: 1,
  key: 'a'.repeat(64),
  tool: 'ask_person',
  arguments: {},
};

/** Asks a runner that restarts `losses` times during the call, each time `heldMs` after it took it. */
async function askWith(losses: number, { heldMs, awayMs }: { heldMs: number; awayMs: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'swy-line-'));
  const path = join(folder, 'tools.sock');
  let calls = 0;
  const runner = createServer((request, response) => {
    calls += 1;
    if (calls > losses) response.end(JSON.stringify({ success: true, text: 'Tabs' }));
    else setTimeout(() => request.socket.destroy(), heldMs);
  });
  runner.listen(path);
  await once(runner, 'listening');
  try {
    const line = new RunnerLine(path, { awayMs, retryMs: 1 });
    return await line.call(call, new AbortController().signal);
  } finally {
    runner.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a call of a tool', () => {
  it('outlasts any number of restarts of the runner that come now and then', async () => {
    expect(await askWith(25, { heldMs: 30, awayMs: 10 })).toEqual({ success: true, text: 'Tabs' });
  });

  it('is given up when the runner restarts again and again', async () => {
    expect(await askWith(25, { heldMs: 0, awayMs: 60_000 })).toMatchObject({ success: false });
  });
});
