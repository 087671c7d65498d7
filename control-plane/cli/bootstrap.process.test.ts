import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// Each test starts several programs, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const here = import.meta.dirname;
const cli = 'control-plane/cli';
const commandLine = 'dist/lib/switchyard.js';
const lockText = JSON.stringify({ lockfileVersion: 3, packages: { '': {} } });

/** Stands in for the command line: says what it got, then waits for signals. */
const stubCommandLine = `
const args = process.argv.slice(2);
if (args.includes('--exit')) process.exit(Number(args.at(-1)));
console.log(JSON.stringify({ args, npm: Object.keys(process.env).filter((k) => k.startsWith('npm_lifecycle')) }));
if (args.includes('--once')) process.exit(0);
let count = 0;
for (const name of ['SIGTERM', 'SIGINT']) {
  process.on(name, () => {
    count += 1;
    console.log(name, count);
    setTimeout(() => process.exit(name === 'SIGINT' ? 130 : 0), 600);
  });
}
setInterval(() => {}, 1000);
console.log('ready');
`;

/** Stands in for npm: notes each call, waits if told, and makes node_modules. */
const stubNpm = `
const fs = require('node:fs');
fs.appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
setTimeout(() => {
  if (process.env.STUB_NPM_FAILS) process.exit(7);
  fs.mkdirSync('node_modules', { recursive: true });
}, Number(process.env.STUB_NPM_MS ?? 0));
`;

let root = '';
let children: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'switchyard-bootstrap-'));
  cpSync(join(here, 'bootstrap.mjs'), join(root, cli, 'bootstrap.mjs'));
  for (const name of ['bootstrap', 'build']) {
    cpSync(join(here, name), join(root, cli, name), { recursive: true });
  }
  // The command line is a stub that stands built already.
  rmSync(join(root, cli, 'build/build-command.mjs'));
  put(commandLine, stubCommandLine);
  put('package.json', '{"type":"module"}');
  put('package-lock.json', lockText);
  put('tools/npm-cli.js', stubNpm);
  put('tools/package.json', '{"type":"commonjs"}');
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function markInstalled(): void {
  const hash = createHash('sha256').update(lockText).digest('hex');
  put('node_modules/.switchyard-stamp', `${hash}\n`);
}

type Run = { child: ChildProcess; stdout: () => string; stderr: () => string; ended: Promise<End> };
type End = { code: number | null; stdout: string; stderr: string };

function bootstrap(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [join(root, cli, 'bootstrap.mjs'), ...args], {
    cwd: root,
    env: {
      ...process.env,
      npm_execpath: join(root, 'tools/npm-cli.js'),
      npm_lifecycle_event: 'start',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr?.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const ended = once(child, 'close').then(([code]) => ({
    code: typeof code === 'number' ? code : null,
    stdout,
    stderr,
  }));
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

const until = (condition: () => boolean, message: string) =>
  expect.poll(condition, { message, timeout: 30_000 }).toBe(true);

const npmCalls = () => {
  const path = join(root, 'npm-calls');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const lockFolder = () => join(root, '.toolchain/lock');

describe('running a target', () => {
  beforeEach(markInstalled);

  it('prints nothing of its own and hands arguments on, without npm variables', async () => {
    const end = await bootstrap(['demo', '--once', '--json']).ended;
    expect(JSON.parse(end.stdout)).toEqual({ args: ['demo', '--once', '--json'], npm: [] });
    expect(end).toMatchObject({ code: 0, stderr: '' });
  });

  it('passes the exit code through', async () => {
    expect((await bootstrap(['doctor', '--exit', '3']).ended).code).toBe(3);
  });

  it('forwards one SIGTERM and waits for the orderly end', async () => {
    const run = bootstrap(['start']);
    await until(() => run.stdout().includes('ready'), 'ready');
    run.child.kill('SIGTERM');
    const end = await run.ended;
    expect(end.stdout.match(/SIGTERM/g)).toHaveLength(1);
    expect(end.code).toBe(0);
  });

  it('counts three SIGINTs within a second once', async () => {
    const run = bootstrap(['start']);
    await until(() => run.stdout().includes('ready'), 'ready');
    for (const _ of [1, 2, 3]) run.child.kill('SIGINT');
    const end = await run.ended;
    expect(end.stdout.match(/SIGINT/g)).toHaveLength(1);
    expect(end.code).toBe(130);
  });

  it('answers 128 and the number when a signal ends the target', async () => {
    put(commandLine, "process.kill(process.pid, 'SIGKILL');");
    expect((await bootstrap(['start']).ended).code).toBe(137);
  });

  it('says which file is missing', async () => {
    const end = await bootstrap(['bench']).ended;
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('test/bench/bench.ts does not exist');
  });
});

describe('installing', () => {
  it('runs npm ci once for two callers at the same time, and not again', async () => {
    const runs = [1, 2].map(() => bootstrap(['demo', '--once'], { STUB_NPM_MS: '400' }));
    const ends = await Promise.all(runs.map((run) => run.ended));
    expect(ends.map((end) => end.code)).toEqual([0, 0]);
    expect((await bootstrap(['demo', '--once']).ended).code).toBe(0);
    expect(npmCalls()).toHaveLength(1);
    expect(npmCalls()[0]).toMatch(/^ci /);
  });

  it('installs again when the lock has changed', async () => {
    markInstalled();
    put('package-lock.json', `${lockText}\n`);
    await bootstrap(['demo', '--once']).ended;
    expect(npmCalls()).toHaveLength(1);
  });

  it("keeps a folder that agrees with the lock by npm's own record", async () => {
    const entry = { version: '1.0.0', integrity: 'sha512-x' };
    const packages = {
      '': {},
      'node_modules/a': entry,
      'node_modules/b': { version: '2.0.0', optional: true },
    };
    put('package-lock.json', JSON.stringify({ packages }));
    put(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { 'node_modules/a': entry } }),
    );
    expect((await bootstrap(['demo', '--once']).ended).code).toBe(0);
    expect(npmCalls()).toEqual([]);
    put('node_modules/.switchyard-stamp', 'of another lock');
    put(
      'package-lock.json',
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.1' } } }),
    );
    expect((await bootstrap(['demo', '--once']).ended).code).toBe(0);
    expect(npmCalls()).toHaveLength(1);
  });

  it('fails with the step and frees the lock when npm fails', async () => {
    const end = await bootstrap(['demo', '--once'], { STUB_NPM_FAILS: '1' }).ended;
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain('npm ci failed (exit code 7)');
    expect(existsSync(lockFolder())).toBe(false);
  });

  it('ends with 130 and frees the lock when interrupted', async () => {
    const run = bootstrap(['demo', '--once'], { STUB_NPM_MS: '60000' });
    await until(() => npmCalls().length === 1, 'npm was started');
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(existsSync(lockFolder())).toBe(false);
  });

  it('takes over the lock of a process that is gone', async () => {
    put('.toolchain/lock/owner.json', JSON.stringify({ pid: 1, host: 'another-host' }));
    const longAgo = new Date(Date.now() - 120_000);
    utimesSync(lockFolder(), longAgo, longAgo);
    expect((await bootstrap(['demo', '--once']).ended).code).toBe(0);
    expect(existsSync(lockFolder())).toBe(false);
  });

  it('can be interrupted while it waits for another', async () => {
    put('.toolchain/lock/owner.json', JSON.stringify({ pid: 1, host: 'another-host' }));
    const run = bootstrap(['demo', '--once']);
    await until(() => run.stderr().includes('waiting for another set-up'), 'waiting');
    run.child.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
  });
});

describe('building the programs', () => {
  const source = 'control-plane/src/a.ts';
  const stubBuild = `
    import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
    const [root, folder] = process.argv.slice(2);
    if (process.env.STUB_BUILD_FAILS) process.exit(6);
    mkdirSync(folder + '/lib', { recursive: true });
    writeFileSync(folder + '/lib/switchyard.js', "console.log('built')");
    appendFileSync(root + '/builds', 'x');`;
  const builds = () => readFileSync(join(root, 'builds'), 'utf8').length;

  beforeEach(() => {
    markInstalled();
    put(`${cli}/build/build-command.mjs`, stubBuild);
    put(source, '1');
  });

  it('happens once for any command, and again when a source has changed', async () => {
    expect((await bootstrap(['issue']).ended).stdout).toBe('built\n');
    await bootstrap(['doctor']).ended;
    expect(builds()).toBe(1);
    put(source, '2');
    await bootstrap(['issue']).ended;
    expect(builds()).toBe(2);
  });

  it('happens before a tool that starts the product, and not for one that does not', async () => {
    for (const tool of ['bench/bench', 'simulation/simulate']) put(`test/${tool}.ts`, '');
    expect((await bootstrap(['simulate']).ended).code).toBe(0);
    expect(existsSync(join(root, 'builds'))).toBe(false);
    expect((await bootstrap(['bench', '--help']).ended).code).toBe(0);
    expect(existsSync(join(root, 'builds'))).toBe(false);
    expect((await bootstrap(['bench']).ended).code).toBe(0);
    expect(builds()).toBe(1);
  });

  it('leaves the one before in place when it fails, and says so', async () => {
    await bootstrap(['issue']).ended;
    put(source, '2');
    const end = await bootstrap(['issue'], { STUB_BUILD_FAILS: '1' }).ended;
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain('building the programs failed (exit code 6)');
    expect(existsSync(join(root, commandLine))).toBe(true);
  });
});

describe('building the dashboard', () => {
  beforeEach(() => {
    markInstalled();
    put('dashboard/index.html', '<p>1');
    put(
      'node_modules/vite/bin/vite.js',
      `const fs = require('node:fs');
       const folder = process.argv[process.argv.indexOf('--outDir') + 1];
       fs.mkdirSync(folder, { recursive: true });
       if (fs.existsSync('broken')) throw new Error('no such module');
       fs.copyFileSync('index.html', folder + '/index.html');
       fs.appendFileSync('../builds', 'x');
       console.log('built');`,
    );
    put('node_modules/vite/package.json', '{"type":"commonjs"}');
  });
  const builds = () => readFileSync(join(root, 'builds'), 'utf8').length;

  it('happens once, and again when a source has changed', async () => {
    const first = await bootstrap(['start', '--once']).ended;
    expect(first.stdout).not.toContain('built');
    expect(first.stderr).toContain('built');
    await bootstrap(['demo', '--once']).ended;
    expect(builds()).toBe(1);
    put('dashboard/src/main.tsx', '1');
    await bootstrap(['start', '--once']).ended;
    expect(builds()).toBe(2);
  });

  it('leaves the one before in place until a new one is whole', async () => {
    const shown = () => readFileSync(join(root, 'dashboard/dist/index.html'), 'utf8');
    await bootstrap(['start', '--once']).ended;
    put('dashboard/index.html', '<p>2');
    put('dashboard/broken', '');
    expect((await bootstrap(['start', '--once']).ended).code).not.toBe(0);
    expect(shown()).toBe('<p>1');
    rmSync(join(root, 'dashboard/broken'));
    expect((await bootstrap(['start', '--once']).ended).code).toBe(0);
    expect(shown()).toBe('<p>2');
  });

  it('is no part of other commands', async () => {
    await bootstrap(['doctor', '--once']).ended;
    expect(existsSync(join(root, 'builds'))).toBe(false);
  });
});
