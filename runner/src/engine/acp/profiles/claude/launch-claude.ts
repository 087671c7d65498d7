import { posix } from 'node:path';
import type { EngineHomeSpec, EngineLaunch } from '../../../agent-engine.ts';
import { launchProgram } from '../../../parts/launch-program.ts';

/** Folder below the home with settings, sessions and other data of the program. */
const CONFIG_FOLDER = 'claude';
const TEMPORARY_FOLDER = 'tmp';
/**
 * Script that every shell of the agent reads first: it removes the attempt's token for the model
 * proxy from the environment.
 */
const COMMAND_ENVIRONMENT = 'command-environment.sh';

/** Retries of a refused request; the runner decides about longer waits. */
const MAX_RETRIES = 2;
/** Silence before the first byte of a response after which a request is retried, milliseconds. */
const REQUEST_TIMEOUT_MS = 300_000;
/** The program's own limit on a folder name. */
const MAX_NAME_CHARACTERS = 200;

/** Switches off what the program would do besides the work, or for a person at a terminal. */
const SWITCHED_OFF = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1',
  CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
  CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
  CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
  DISABLE_AUTOUPDATER: '1',
  // Offers tools of servers directly instead of by search.
  ENABLE_TOOL_SEARCH: 'false',
};

/**
 * Enables plans, which people and the next agent can read: the program offers this tool only with
 * models that it knows. Its alternative stores files outside the sessions, which are not kept.
 */
const PLANNING = { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1', CLAUDE_CODE_ENABLE_TASKS: '0' };

/** Tools need no approval of a model: the isolation protects, not the model's judgement. */
const SETTINGS = {
  disableAutoMode: 'disable',
  permissions: { defaultMode: 'default', disableAutoMode: 'disable' },
  includeCoAuthoredBy: false,
  cleanupPeriodDays: 365,
};

/**
 * Launches the program behind the model proxy, with its own configuration folder. Throws, with a
 * message for people, for a provider without the Messages API, or when it is not installed.
 */
export function launchClaude(spec: EngineHomeSpec): EngineLaunch {
  const { homePath, model, wireApi, workspacePath } = spec;
  if (wireApi !== 'messages') {
    throw new Error(
      'The agent engine claude speaks only the Messages API; set engine.provider.wireApi to ' +
        `"messages" instead of "${wireApi}".`,
    );
  }
  return {
    argv: launchProgram('claude', spec),
    env: {
      ...(spec.sandboxed ? {} : { PATH: process.env.PATH ?? '' }),
      HOME: homePath,
      TMPDIR: posix.join(homePath, TEMPORARY_FOLDER),
      CLAUDE_CONFIG_DIR: posix.join(homePath, CONFIG_FOLDER),
      ANTHROPIC_BASE_URL: spec.providerBaseUrl.replace(/\/v1\/?$/, ''),
      ANTHROPIC_AUTH_TOKEN: spec.proxyToken,
      ...modelsOf(model),
      ...SWITCHED_OFF,
      ...PLANNING,
      CLAUDE_CODE_MAX_RETRIES: String(MAX_RETRIES),
      API_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
      CLAUDE_ENV_FILE: posix.join(homePath, COMMAND_ENVIRONMENT),
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    files: {
      [`${CONFIG_FOLDER}/settings.json`]: `${JSON.stringify(SETTINGS, null, 2)}\n`,
      [`${TEMPORARY_FOLDER}/.keep`]: '',
      [COMMAND_ENVIRONMENT]: 'unset ANTHROPIC_AUTH_TOKEN\n',
    },
    // Only this folder, because the program stores its own keys beside it.
    sessionsFolder: `${CONFIG_FOLDER}/projects/${folderName(workspacePath ?? homePath)}`,
  };
}

/** The same model for every task; the program would choose others for small ones. */
function modelsOf(model: string): Record<string, string> {
  return {
    ANTHROPIC_MODEL: model,
    // Makes a model known that is not Anthropic's.
    ANTHROPIC_CUSTOM_MODEL_OPTION: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
  };
}

/** The program's name for the folder of a project's sessions. */
function folderName(path: string): string {
  return path.replaceAll(/[^a-zA-Z0-9]/g, '-').slice(0, MAX_NAME_CHARACTERS);
}
