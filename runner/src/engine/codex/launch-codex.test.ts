import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { EngineHomeSpec } from '../agent-engine.ts';
import { hostProgram } from '../parts/host-program.ts';
import { launchCodex, IMAGE_BINARY_PATH } from './launch-codex.ts';

const WORKSPACE = '/workspace/it\'s "here"';
const spec: EngineHomeSpec = {
  model: 'a "quoted" model',
  providerBaseUrl: 'http://127.0.0.1:8099/v1',
  wireApi: 'responses',
  proxyToken: 'very-secret',
  homePath: '/home/agent',
  workspacePath: WORKSPACE,
  sandboxed: true,
};

describe('the launch of an engine', () => {
  it('keeps the token out of arguments and files', () => {
    const launch = launchCodex(spec);
    expect(launch.argv[0]).toBe(IMAGE_BINARY_PATH);
    expect(JSON.stringify([launch.argv, launch.files])).not.toContain('very-secret');
    expect(Object.values(launch.env)).toContain('very-secret');
  });

  it('writes any model name and path into valid configuration', () => {
    const config = parse(launchCodex(spec).files['codex/config.toml'] ?? '');
    expect(config).toMatchObject({
      model: spec.model,
      model_catalog_json: '/home/agent/codex/models.json',
      projects: { [WORKSPACE]: { trust_level: 'untrusted' } },
    });
  });

  it('starts servers of the repository only where it is given some', () => {
    const of = (more: Partial<EngineHomeSpec>) =>
      parse(launchCodex({ ...spec, ...more }).files['codex/config.toml'] ?? '');
    expect(of({})).not.toHaveProperty('mcp_servers');
    const env = { A: '1' };
    const ours = { name: 'ours', command: 'node', args: ['a "b"'], env };
    const docs = { name: 'docs', url: 'https://docs.example/mcp', headers: { b: '2' } };
    expect(of({ repositoryServers: [ours, docs] })['mcp_servers']).toEqual({
      ours: { command: 'node', args: ['a "b"'], env },
      docs: { url: 'https://docs.example/mcp', http_headers: { b: '2' } },
    });
  });

  it('tells what the repository says, and trusts its settings only where they are allowed', () => {
    const told = { ...spec, instructions: 'Use tabs.' };
    expect(launchCodex(told).files['codex/AGENTS.md']).toBe('Use tabs.');
    const { files } = launchCodex({ ...told, repositorySettings: true });
    expect(files).not.toHaveProperty(['codex/AGENTS.md']);
    expect(parse(files['codex/config.toml'] ?? '')).toMatchObject({
      projects: { [WORKSPACE]: { trust_level: 'trusted' } },
    });
  });

  it('describes only models that the engine does not know', () => {
    expect(launchCodex(spec).files).toHaveProperty(['codex/models.json']);
    expect(launchCodex({ ...spec, model: 'gpt-5.5' }).files).not.toHaveProperty([
      'codex/models.json',
    ]);
  });

  it('keeps temporary files beside the engine folder, never above it', () => {
    const { env } = launchCodex(spec);
    expect(env.CODEX_HOME?.startsWith(`${env.TMPDIR}/`)).toBe(false);
  });

  it('refuses a wire API that the engine does not speak', () => {
    expect(() => launchCodex({ ...spec, wireApi: 'chat' })).toThrow('wireApi');
  });

  it('finds the engine of the host', () => {
    expect(launchCodex({ ...spec, sandboxed: false }).argv[0]).toBe(hostProgram('codex')?.[0]);
  });
});
