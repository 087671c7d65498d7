import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment, findNpm } from './find-npm.mjs';

describe('the environment of child processes', () => {
  it("keeps the caller's cache, registry, certificates and proxy, and no other npm variable", () => {
    const env = childEnvironment(
      {
        HOME: '/home/u',
        PATH: '/usr/bin',
        npm_config_cache: '/c',
        npm_config_registry: 'r',
        npm_config_cafile: '/ca',
        npm_config_https_proxy: 'p',
        npm_config_local_prefix: '/outer',
        npm_lifecycle_event: 'start',
        npm_execpath: '/npm',
        npm_package_json: '/outer/package.json',
      },
      '/node24/bin',
    );
    expect(env).toEqual({
      HOME: '/home/u',
      PATH: '/node24/bin:/usr/bin',
      npm_config_cache: '/c',
      npm_config_registry: 'r',
      npm_config_cafile: '/ca',
      npm_config_https_proxy: 'p',
    });
  });
});

describe('finding npm', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-npm-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function script(path: string): string {
    const full = join(folder, path);
    mkdirSync(join(full, '..'), { recursive: true });
    writeFileSync(full, '');
    chmodSync(full, 0o755);
    return full;
  }
  const node = () => join(folder, 'bin/node');

  it('takes the npm that started us', () => {
    const npm = script('own/npm-cli.js');
    script('lib/node_modules/npm/bin/npm-cli.js');
    expect(findNpm({ npm_execpath: npm }, node())).toBe(npm);
  });

  it('takes the npm beside Node when another package manager started us', () => {
    const npm = script('lib/node_modules/npm/bin/npm-cli.js');
    expect(findNpm({ npm_execpath: script('pnpm.cjs') }, node())).toBe(npm);
  });

  it('follows the link in PATH', () => {
    const npm = script('elsewhere/npm-cli.js');
    mkdirSync(join(folder, 'path'));
    symlinkSync(npm, join(folder, 'path/npm'));
    expect(findNpm({ PATH: `/nowhere:${join(folder, 'path')}` }, node())).toBe(npm);
  });

  it('says so with exit code 3 when there is none', () => {
    expect(() => findNpm({ PATH: '' }, node())).toThrow(
      expect.objectContaining({ exitCode: 3, message: expect.stringContaining('npm') }),
    );
  });
});
