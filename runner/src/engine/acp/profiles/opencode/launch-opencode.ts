import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { EngineHomeSpec, EngineLaunch } from '../../../agent-engine.ts';
import { launchProgram } from '../../../parts/launch-program.ts';

/** Folder below the home with all data of the program, including its sessions. */
const DATA_FOLDER = 'data';
const CONFIG_FOLDER = 'config';
const TEMPORARY_FOLDER = 'tmp';
/** Read when the first session begins and then removed, so that no command of the agent sees it. */
const KEY_FILE = 'model-key';

/** Name of the provider in the program's configuration. */
const PROVIDER = 'switchyard';

/** Packages built into the program, with the form of the provider's address that each expects. */
const PROVIDERS: Record<WireApi, { npm: string; path: string }> = {
  responses: { npm: '@ai-sdk/openai', path: '/v1' },
  chat: { npm: '@ai-sdk/openai-compatible', path: '/v1' },
  messages: { npm: '@ai-sdk/anthropic', path: '/v1' },
  gemini: { npm: '@ai-sdk/google', path: '/v1beta' },
};

/** Assumed for every model, in tokens; too small a value only compacts too early. */
const CONTEXT_TOKENS = 128_000;
const OUTPUT_TOKENS = 16_384;

/**
 * Switches off what the program would do besides the work: download, update, share, or read other
 * agents' files.
 */
const SWITCHED_OFF = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_SHARE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
};

/**
 * Launches the program with its whole configuration in the environment. Unless its settings are
 * allowed, a repository cannot change it: project files are off, and the folder of plugins is
 * hidden. Throws, with a message for people, when it is not installed on this host.
 */
export function launchOpencode(spec: EngineHomeSpec): EngineLaunch {
  const { homePath, repositorySettings = false, instructions } = spec;
  const keyPath = posix.join(homePath, KEY_FILE);
  const ignoresProject = !repositorySettings;
  return {
    argv: launchProgram('opencode', spec),
    env: {
      ...(spec.sandboxed ? {} : { PATH: process.env.PATH ?? '' }),
      HOME: homePath,
      TMPDIR: posix.join(homePath, TEMPORARY_FOLDER),
      XDG_DATA_HOME: posix.join(homePath, DATA_FOLDER),
      XDG_CONFIG_HOME: posix.join(homePath, CONFIG_FOLDER),
      ...SWITCHED_OFF,
      ...(ignoresProject ? { OPENCODE_DISABLE_PROJECT_CONFIG: '1' } : {}),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(spec, keyPath)),
      // The program serves itself on loopback and would show its configuration to any local
      // process.
      OPENCODE_SERVER_PASSWORD: randomBytes(24).toString('base64url'),
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    files: {
      [KEY_FILE]: spec.proxyToken,
      [`${TEMPORARY_FOLDER}/.keep`]: '',
      ...(ignoresProject && instructions !== undefined
        ? { [`${CONFIG_FOLDER}/opencode/AGENTS.md`]: instructions }
        : {}),
    },
    sessionsFolder: `${DATA_FOLDER}/opencode`,
    sessionsNeedEnd: true,
    secretFiles: [KEY_FILE],
    ...(ignoresProject ? { hiddenFolders: ['.opencode'] } : {}),
  };
}

function configOf(spec: EngineHomeSpec, keyPath: string): Record<string, unknown> {
  const { model, reasoningEffort, wireApi } = spec;
  const { npm, path } = PROVIDERS[wireApi];
  const name = `${PROVIDER}/${model}`;
  return {
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    lsp: false,
    formatter: false,
    model: name,
    small_model: name,
    enabled_providers: [PROVIDER],
    provider: {
      [PROVIDER]: {
        npm,
        name: 'Switchyard model proxy',
        options: {
          baseURL: spec.providerBaseUrl.replace(/\/v1$/, path),
          apiKey: `{file:${keyPath}}`,
        },
        models: {
          [model]: {
            limit: { context: CONTEXT_TOKENS, output: OUTPUT_TOKENS },
            ...(reasoningEffort === undefined
              ? {}
              : { reasoning: true, options: effortOptions(wireApi, reasoningEffort) }),
          },
        },
      },
    },
    // Requires approval for every call, so that its changes are reported; the adapter approves
    // them.
    permission: { '*': 'ask' },
    // A title of the thread would cost a request that nobody sees.
    agent: { title: { disable: true } },
  };
}

/** Token budgets for thinking, for providers that limit tokens instead of an effort. */
const THINKING_TOKENS: Record<string, number> = {
  minimal: 1_024,
  low: 2_048,
  medium: 6_000,
  high: 12_000,
  xhigh: 14_000,
};

function effortOptions(wireApi: WireApi, effort: string): Record<string, unknown> {
  const budget = THINKING_TOKENS[effort] ?? THINKING_TOKENS['medium'];
  if (wireApi === 'messages') return { thinking: { type: 'enabled', budgetTokens: budget } };
  if (wireApi === 'gemini') return { thinkingConfig: { thinkingBudget: budget } };
  return { reasoningEffort: effort };
}
