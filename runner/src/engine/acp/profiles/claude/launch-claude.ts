import { posix } from 'node:path';
import type { EngineHomeSpec, EngineLaunch } from '../../../agent-engine.ts';
import { launchProgram } from '../../../parts/launch-program.ts';

/** Below home: settings, sessions and whatever else the program keeps. */
const CONFIG_FOLDER = 'claude';
const TEMPORARY_FOLDER = 'tmp';
/** Read by every shell before a command of the agent: those need no token of the provider. */
const COMMAND_ENVIRONMENT = 'command-environment.sh';

/** Repeats of a request that was refused; the runner decides about longer waits. */
const MAX_RETRIES = 2;
/** Silence before the first byte of an answer after which a request is repeated. */
const REQUEST_TIMEOUT_MS = 300_000;
/** The program's own limit of a folder's name. */
const MAX_NAME_CHARACTERS = 200;

/** What the program would do beside the work, or for a person at a screen. */
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
  // Tools of servers are offered at once, not searched for first.
  ENABLE_TOOL_SEARCH: 'false',
};

/**
 * Plans, which people follow and the next agent is told: the program offers the tool only with models
 * that it knows of old. Its other tool for them keeps files beside the sessions, which are not kept.
 */
const PLANNING = { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1', CLAUDE_CODE_ENABLE_TASKS: '0' };

/** A model must not be asked whether a tool may be used: the isolation protects, not its opinion. */
const SETTINGS = {
  disableAutoMode: 'disable',
  permissions: { defaultMode: 'default', disableAutoMode: 'disable' },
  includeCoAuthoredBy: false,
  cleanupPeriodDays: 365,
};

/**
 * The program behind the model proxy, with a configuration folder of its own. Throws, in words for
 * people, for a provider that does not speak the Messages API, and where it is not installed.
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
    // Only this folder: beside it the program keeps keys of its own.
    sessionsFolder: `${CONFIG_FOLDER}/projects/${folderName(workspacePath ?? homePath)}`,
  };
}

/** One model for everything: the program would choose others for small tasks. */
function modelsOf(model: string): Record<string, string> {
  return {
    ANTHROPIC_MODEL: model,
    // Makes it known where it is none of Anthropic's.
    ANTHROPIC_CUSTOM_MODEL_OPTION: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
  };
}

/** As the program names the folder of a project's sessions. */
function folderName(path: string): string {
  return path.replaceAll(/[^a-zA-Z0-9]/g, '-').slice(0, MAX_NAME_CHARACTERS);
}
