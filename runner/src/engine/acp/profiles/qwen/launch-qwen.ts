import { posix } from 'node:path';
import type { EngineHomeSpec, EngineLaunch } from '../../../agent-engine.ts';
import { requireHostProgram } from '../../../parts/host-program.ts';
import { imageProgram } from '../../../parts/image-program.ts';

/** Below home: settings, threads and whatever else the program keeps. */
const CONFIG_FOLDER = '.qwen';
const TEMPORARY_FOLDER = 'tmp';
/** A name that no repository has, so that the program reads none of its instructions twice. */
const INSTRUCTIONS_FILE = 'switchyard-instructions.md';

/** Repeats of a request that was refused; the runner decides about longer waits. */
const MAX_RETRIES = 2;
/** Silence before the first byte of an answer after which a request is repeated. */
const REQUEST_TIMEOUT_MS = 300_000;

/** What the program would do beside the work; its tools are offered at once, not searched for. */
const SETTINGS = {
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  tools: { toolSearch: { enabled: false } },
  context: { fileName: INSTRUCTIONS_FILE },
  model: { generationConfig: { timeout: REQUEST_TIMEOUT_MS, maxRetries: MAX_RETRIES } },
};

/**
 * The program with its settings in its home, behind the model proxy; the folder from which a
 * repository would set it up is hidden. Throws, in words for people, for a provider that does not
 * speak Chat Completions, and where it is not installed.
 */
export function launchQwen(spec: EngineHomeSpec): EngineLaunch {
  const { homePath, instructions, wireApi, repositorySettings = false } = spec;
  if (wireApi !== 'chat') {
    throw new Error(
      'The agent engine qwen speaks only Chat Completions; set engine.provider.wireApi to "chat" ' +
        `instead of "${wireApi}".`,
    );
  }
  return {
    argv: spec.sandboxed ? imageProgram('qwen') : requireHostProgram('qwen'),
    env: {
      ...(spec.sandboxed ? {} : { PATH: process.env.PATH ?? '' }),
      HOME: homePath,
      TMPDIR: posix.join(homePath, TEMPORARY_FOLDER),
      OPENAI_BASE_URL: spec.providerBaseUrl,
      OPENAI_API_KEY: spec.proxyToken,
      OPENAI_MODEL: spec.model,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    files: {
      [`${CONFIG_FOLDER}/settings.json`]: `${JSON.stringify(SETTINGS, null, 2)}\n`,
      [`${TEMPORARY_FOLDER}/.keep`]: '',
      ...(instructions === undefined
        ? {}
        : { [`${CONFIG_FOLDER}/${INSTRUCTIONS_FILE}`]: instructions }),
    },
    sessionsFolder: `${CONFIG_FOLDER}/projects`,
    ...(repositorySettings ? {} : { hiddenFolders: [CONFIG_FOLDER] }),
  };
}
