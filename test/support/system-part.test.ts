import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPart, findChromium } from './chromium.ts';
import { dockerPart } from './docker.ts';

let folder = '';
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-parts-'));
});
afterEach(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  chmodSync(path, 0o755);
  return path;
}

describe('Chromium', () => {
  it('is the one that CHROME_PATH names, also when PATH has another', () => {
    program('chromium');
    const path = program('my-chrome');
    expect(findChromium({ CHROME_PATH: path, PATH: folder })).toBe(path);
  });

  it('is found in PATH under its usual names', () => {
    const path = program('google-chrome-stable');
    expect(chromiumPart({ PATH: `/nowhere:${folder}` })).toEqual({ available: true, detail: path });
  });

  it('is missing, with what to do, when CHROME_PATH is wrong', () => {
    const part = chromiumPart({ CHROME_PATH: join(folder, 'none'), PATH: folder });
    expect(part).toMatchObject({
      available: false,
      reason: expect.stringContaining('CHROME_PATH'),
    });
  });
});

describe('Docker', () => {
  async function listen(answer: string): Promise<string> {
    const path = join(folder, 'docker.sock');
    server = createServer((socket) => socket.once('data', () => socket.end(answer)));
    await new Promise<void>((resolve) => server?.listen(path, resolve));
    return `unix://${path}`;
  }

  it('is there when a daemon answers its ping', async () => {
    const host = await listen('HTTP/1.0 200 OK\r\n\r\nOK');
    expect(await dockerPart(host)).toEqual({ available: true, detail: host });
  });

  it('is missing when something else answers, nothing listens or the address is odd', async () => {
    const hosts = [await listen('nonsense'), 'unix:///none.sock', 'tcp://127.0.0.1:1', 'ssh://x'];
    for (const host of hosts) {
      expect(await dockerPart(host)).toMatchObject({
        available: false,
        reason: expect.stringContaining(host),
      });
    }
  });
});
