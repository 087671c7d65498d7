import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineHomeSpec } from './agent-engine.ts';
import { allEngines } from './engines.ts';

describe('an engine that a former version of the runner left running', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'swy-running-'));
    vi.stubEnv('SWITCHYARD_ENGINES', folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  const specOf = (wireApi: EngineHomeSpec['wireApi']): EngineHomeSpec => ({
    model: 'a-model',
    providerBaseUrl: 'http://127.0.0.1:1',
    proxyToken: '',
    wireApi,
    homePath: '/home',
    workspacePath: '/work',
    sandboxed: false,
  });

  it('is adopted although this version has not fetched its own', () => {
    for (const { name, capabilities, launch } of allEngines()) {
      const spec = specOf(capabilities.wireApis[0] ?? 'responses');
      expect(launch({ ...spec, isRunning: true }).sessionsFolder, name).not.toBe('');
    }
    const other = allEngines().find(({ name }) => name === 'opencode');
    expect(() => other?.launch(specOf('chat'))).toThrow('is not installed on this host');
  });
});
