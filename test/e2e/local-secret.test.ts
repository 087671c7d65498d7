import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { until } from '../support/e2e/until.ts';

const READ_TOKEN = 'a-read-token-of-the-test';
const EXIT = { done: 0, failed: 1 };
const OPENER_TIMEOUT_MS = 25_000;

describe('the command line beside a service that others can reach', () => {
  let folder: string;
  let service: RunningService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-local-'));
    service = await startService({
      dataDir: join(folder, 'data'),
      args: ['--no-runner'],
      env: { SERVICE_READ_TOKEN: READ_TOKEN },
    });
  });
  afterAll(async () => {
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const own = () => ['--url', service.url, '--data-dir', service.dataDir];
  const without = { SWITCHYARD_TOKEN: '', SERVICE_WRITE_TOKEN: '' };
  const run = (args: string[], env: Record<string, string> = {}) =>
    switchyard(args, folder, { ...without, ...env });
  const signIn = (code: string | null, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ code }),
    });
  const codeOf = (url: string) =>
    new URLSearchParams(new URL(url.trim()).hash.slice(1)).get('code');

  it('shows the local secret of the data folder', async () => {
    const made = await run(['issue', 'create', 'Written here', ...own()]);
    expect(made.stdout, made.stderr).toBe('SY-1 Written here\n');
    expect((await run(['issue', 'show', 'SY-1', ...own()])).stdout).toContain('Written here');
    const { mode } = await stat(join(service.dataDir, 'local-secret'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('finds it where data are kept unless told otherwise', async () => {
    const state = join(folder, 'state');
    await mkdir(join(state, 'switchyard'), { recursive: true });
    const secret = await readFile(join(service.dataDir, 'local-secret'));
    await writeFile(join(state, 'switchyard', 'local-secret'), secret, { mode: 0o600 });
    const listed = await run(['issue', 'list', '--url', service.url], { XDG_STATE_HOME: state });
    expect(listed.code, listed.stderr).toBe(EXIT.done);
  });

  it('says what to do where there is none', async () => {
    const elsewhere = ['--url', service.url, '--data-dir', join(folder, 'nothing')];
    const refused = await run(['issue', 'create', 'Not here', ...elsewhere]);
    expect(refused.code).toBe(EXIT.failed);
    expect(refused.stderr).toContain('--data-dir');
  });

  it('signs a browser in by a link for one use that no argument shows', async () => {
    const tools = join(folder, 'tools');
    const shown = join(folder, 'shown');
    await mkdir(tools);
    await writeFile(join(tools, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$*" >'${shown}'\n`);
    await chmod(join(tools, 'xdg-open'), 0o755);
    const screen = { DISPLAY: ':99', PATH: `${tools}:${process.env['PATH'] ?? ''}` };
    const opened = await run(['open', ...own()], screen);
    expect(opened.code, opened.stderr).toBe(EXIT.done);
    const code = codeOf(opened.stdout);
    expect(code).toMatch(/^[\w-]{43}$/);
    const argument = await until(
      () => readFile(shown, 'utf8').catch(() => ''),
      (text) => text !== '',
      { what: 'the opened page', timeoutMs: OPENER_TIMEOUT_MS },
    );
    expect(argument).toBe(join(service.dataDir, 'open.html'));
    expect((await stat(argument)).mode & 0o777).toBe(0o600);
    expect(await readFile(argument, 'utf8')).toContain(`url=${opened.stdout.trim()}"`);
    const begun = await signIn(code);
    expect(begun.status).toBe(200);
    const cookie = begun.headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect((await signIn(code)).status).toBe(401);
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    const read = () => fetch(`${service.url}/api/v1/state`, { headers });
    expect((await read()).status).toBe(200);
    expect((await run(['sign-out', ...own()])).code).toBe(EXIT.done);
    expect((await read()).status).toBe(401);
  });

  it('says on the terminal of the service how to sign in, and no secret', async () => {
    expect(service.output()).toContain(`ready ${service.url}\n`);
    expect(service.output()).toContain(`switchyard open --url ${service.url}`);
    const secret = (await readFile(join(service.dataDir, 'local-secret'), 'utf8')).trim();
    expect(service.output()).not.toContain(secret);
    expect(service.output()).not.toContain('#code=');
  });

  it('redeems no code that comes from elsewhere', async () => {
    // The token of the service in the shell makes no difference to who asks for the link.
    const { stdout } = await run(['open', '--no-open', ...own()], { SERVICE_WRITE_TOKEN: 'w' });
    expect(codeOf(stdout)).not.toBeNull();
    const elsewhere = { 'x-forwarded-for': '192.0.2.7' };
    expect((await signIn(codeOf(stdout), elsewhere)).status).toBe(401);
  });
});
