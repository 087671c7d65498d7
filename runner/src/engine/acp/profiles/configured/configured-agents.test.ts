import { describe, expect, it } from 'vitest';
import type { EngineHomeSpec } from '../../../agent-engine.ts';
import { readConfiguredAgents } from './configured-agents.ts';
import { configuredProfile } from './configured-profile.ts';

const TEXT = `
[ours]
command = ["/opt/ours/agent", "--acp"]
hostCommand = ["node", "/srv/ours.mjs"]
wireApis = ["chat"]
steer = "prompt"
hiddenFolders = [".ours"]
secretFiles = ["key"]
[ours.env]
OPENAI_BASE_URL = "{baseUrl}"
OPENAI_MODEL = "{model}"
KEEP = "{unknown} {home}"
[ours.files]
key = "{token}"
`;
const spec: EngineHomeSpec = {
  model: 'm1',
  providerBaseUrl: 'http://127.0.0.1:8099/v1',
  wireApi: 'chat',
  proxyToken: 'sw_token',
  homePath: '/home/agent',
  workspacePath: '/workspace',
  sandboxed: true,
};

describe('agents that the host’s operator defines', () => {
  it('are started as they say, with the values of the attempt', () => {
    const [agent] = readConfiguredAgents(TEXT, ['codex']);
    if (agent === undefined) throw new Error('no agent');
    const profile = configuredProfile(agent);
    expect(profile).toMatchObject({
      name: 'ours',
      steer: { by: 'prompt' },
      capabilities: { steering: 'joins', resume: false, experimental: true },
    });
    expect(profile.launch(spec)).toMatchObject({
      argv: ['/opt/ours/agent', '--acp'],
      env: {
        HOME: '/home/agent',
        OPENAI_BASE_URL: 'http://127.0.0.1:8099/v1',
        OPENAI_MODEL: 'm1',
        KEEP: '{unknown} /home/agent',
      },
      files: { key: 'sw_token' },
      secretFiles: ['key'],
      hiddenFolders: ['.ours'],
    });
    expect(profile.launch({ ...spec, sandboxed: false }).argv).toEqual(['node', '/srv/ours.mjs']);
    expect(profile.launch({ ...spec, repositorySettings: true }).hiddenFolders).toBeUndefined();
    expect(() => profile.launch({ ...spec, wireApi: 'gemini' })).toThrow('choose another provider');
  });

  it.each([
    ['no TOML', '[ours', 'not TOML'],
    ['a name of ours', '[codex]\ncommand = ["x"]\nwireApis = ["chat"]', 'choose another'],
    ['a name that is none', '["Our Agent"]\ncommand = ["x"]', 'small letters'],
    ['no command', '[ours]\nwireApis = ["chat"]', 'command'],
    ['an unknown field', '[ours]\ncommand = ["x"]\nwireApis = ["chat"]\nrun = "y"', 'run'],
    [
      'a file elsewhere',
      '[ours]\ncommand = ["x"]\nwireApis = ["chat"]\nfiles = {"../a" = ""}',
      'upwards',
    ],
    [
      'an absolute file',
      '[ours]\ncommand = ["x"]\nwireApis = ["chat"]\nfiles = {"/a" = ""}',
      'relative',
    ],
  ])('are refused with %s, with the reason', (_, text, reason) => {
    expect(() => readConfiguredAgents(text, ['codex'])).toThrow(reason);
  });
});
