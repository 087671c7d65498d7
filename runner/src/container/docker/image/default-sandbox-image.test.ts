import { describe, expect, it } from 'vitest';
import { enginePart } from '../../../engine/parts/engine-parts.ts';
import {
  BadEngineList,
  engineLabels,
  hasEngines,
  labelledEngines,
  licencesText,
  parseEngines,
  requireAcceptance,
} from './engine-labels.ts';
import { defaultSandboxImage } from './default-sandbox-image.ts';

describe('the sandbox image', () => {
  it('is named by its content', () => {
    expect(defaultSandboxImage).toMatch(/^switchyard-sandbox:[0-9a-f]{12}$/);
  });

  it('is of use for some engines when it has each of them in its pinned version', () => {
    const labels = engineLabels(['codex', 'opencode']);
    expect(labelledEngines(labels)).toEqual({
      codex: enginePart('codex')?.version,
      opencode: '1.18.34',
    });
    expect(hasEngines(labels, ['opencode'])).toBe(true);
    expect(hasEngines(labels, ['codex', 'claude'])).toBe(false);
    expect(hasEngines({ 'switchyard.engines': '{"codex":"0.1.0"}' }, ['codex'])).toBe(false);
  });

  it('of somebody else names no engines, or none that can be read', () => {
    for (const label of [undefined, '', 'no JSON', '["codex"]', '{"codex":1}']) {
      const labels: Record<string, string> =
        label === undefined ? {} : { 'switchyard.engines': label };
      expect(labelledEngines(labels), label).toBeNull();
      expect(hasEngines(labels, ['codex'])).toBe(false);
    }
  });

  it('lists its licences, and gets what is proprietary only when that was accepted', () => {
    const names = parseEngines(' codex, claude,codex ');
    expect(names).toEqual(['codex', 'claude']);
    const label = engineLabels(names)['switchyard.engine-licences'];
    expect(label).toContain('codex: Apache-2.0; claude:');
    expect(label).toContain('not to be published');
    expect(licencesText(names, 'linux-arm64')).toContain('claude-agent-sdk-linux-arm64@');
    expect(() => requireAcceptance(names, {})).toThrow('--accept-licence');
    expect(() => requireAcceptance(names, { acceptLicence: true })).not.toThrow();
    expect(() => requireAcceptance(['codex', 'opencode'], {})).not.toThrow();
    for (const wrong of ['', ' , ', 'codex,nope']) {
      expect(() => parseEngines(wrong), wrong).toThrow(BadEngineList);
    }
  });
});
