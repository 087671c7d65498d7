import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { createControlServer } from './control-server.ts';
import { ProxyServer, closed, listening } from './proxy-server.ts';
import { toolSocketPath } from './tools/runner-line.ts';

/** Minutes without a live grant or a control request after which the proxy ends. */
const DEFAULT_IDLE_MINUTES = 30;
const SWEEP_MS = 5_000;

/**
 * The model proxy's process: `main.ts --control SOCKET [--port N] [--idle-minutes N]`. Exits with 0
 * on request, on TERM or INT, or when idle. Keys arrive through the control socket and stay in
 * memory. `--port` is a preference, because engines of a proxy that died use its port.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      control: { type: 'string' },
      port: { type: 'string', default: '0' },
      'idle-minutes': { type: 'string', default: String(DEFAULT_IDLE_MINUTES) },
    },
  });
  const path = values.control;
  const idleMs = Number(values['idle-minutes']) * 60_000;
  if (!path || !(idleMs > 0))
    throw new Error('usage: main.ts --control SOCKET [--port N] [--idle-minutes N]');
  process.umask(0o077);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });

  const proxy = new ProxyServer({ tools: { socket: toolSocketPath(path) } });
  await proxy.listen(Number(values.port)).catch(() => proxy.listen());
  let stopping = false;
  let lastUsedAtMs = Date.now();
  const control = createControlServer(proxy, {
    pid: process.pid,
    startedAtMs: Date.now(),
    stop: () => void stop(),
  });
  control.on('request', () => (lastUsedAtMs = Date.now()));
  await rm(path, { force: true });
  await listening(control, { path });
  await chmod(path, 0o600);
  const { ino } = await stat(path);
  const timer = setInterval(() => void checkIdle(), SWEEP_MS);

  async function checkIdle(): Promise<void> {
    // The data folder was removed or another proxy took over, so no runner can reach this one. It
    // exits at once: closing its socket would unlink the other's path.
    const found = await stat(path ?? '').catch(() => null);
    if (found?.ino !== ino) {
      await proxy.close();
      process.exit(0);
    }
    if ((await proxy.sweep()) > 0) lastUsedAtMs = Date.now();
    if (Date.now() - lastUsedAtMs > idleMs) await stop();
  }

  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    clearInterval(timer);
    await closed(control);
    await proxy.close();
    process.exit(0);
  }

  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  // The runner that started this process may have ended, with its terminal.
  process.on('SIGHUP', () => undefined);
}

await main();
