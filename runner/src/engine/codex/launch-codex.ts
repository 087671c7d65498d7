import { posix, dirname, join } from 'node:path';
import { stringify } from 'smol-toml';
import type { EngineHomeSpec, EngineLaunch } from '../agent-engine.ts';
import { modelCatalog } from './model-catalog.ts';
import { DEFAULT_PART } from '../parts/engine-parts.ts';
import { imageProgram } from '../parts/image-program.ts';
import { launchProgram } from '../parts/launch-program.ts';

/** Path of the engine in the sandbox image; the rest of its build is beside `bin`. */
export const IMAGE_BINARY_PATH = imageProgram(DEFAULT_PART)[0] ?? '';

/**
 * Name of the variable with the proxy token, which only the engine sees, not the programs it
 * starts.
 */
const TOKEN_VARIABLE = 'SWITCHYARD_PROXY_TOKEN';

/** Named in every thread, so that an engine without its configuration refuses to start one. */
export const PROVIDER_ID = 'switchyard';

/** Folder below the home, so that temporary files are not above the engine's own folder. */
const ENGINE_FOLDER = 'codex';
const TEMPORARY_FOLDER = 'tmp';

export type ProviderTuning = {
  /** Retries of a call that failed with 5xx or got no response. */
  requestMaxRetries: number;
  /** Retries of a call whose stream broke. */
  streamMaxRetries: number;
  /** Silence inside a stream after which it counts as broken, milliseconds. */
  streamIdleTimeoutMs: number;
};

/** A silent stream is retried before the default turn limit of 300 s ends the turn. */
export const DEFAULT_TUNING: ProviderTuning = {
  requestMaxRetries: 4,
  streamMaxRetries: 5,
  streamIdleTimeoutMs: 240_000,
};

/**
 * Passed as arguments, because a repository's `.codex/config.toml` overrides the home's file.
 * Switched off: what needs the network or a person at a terminal, what starts further agents (whose
 * tokens are not counted), and what repeats for ever.
 */
const OVERRIDES: Record<string, string> = {
  'features.default_mode_request_user_input': 'true',
  'features.apps': 'false',
  'features.goals': 'false',
  'features.plugins': 'false',
  'features.remote_plugin': 'false',
  'features.shell_snapshot': 'false',
  'features.unbounded_connection_retries': 'false',
  'agents.enabled': 'false',
  'shell_environment_policy.exclude': `["${TOKEN_VARIABLE}"]`,
  suppress_unstable_features_warning: 'true',
  web_search: '"disabled"',
};

/**
 * Settings of an operator's engine, which starts no turn: hooks and preparations for turns are off
 * as well.
 */
const OPERATOR_OVERRIDES: Record<string, string> = {
  'features.hooks': 'false',
  'features.code_mode_host': 'false',
};

/**
 * Launches the engine. Throws for a wire API that it no longer supports, and when it is not
 * installed on the host.
 */
export function launchCodex(spec: EngineHomeSpec, tuning = DEFAULT_TUNING): EngineLaunch {
  if (spec.wireApi !== 'responses') {
    throw new Error(
      `The agent engine speaks only the Responses API; set engine.provider.wireApi to "responses" ` +
        `instead of "${spec.wireApi}".`,
    );
  }
  const catalog = modelCatalog(spec.model, spec.reasoningEffort);
  const catalogPath = catalog && posix.join(spec.homePath, ENGINE_FOLDER, 'models.json');
  const config = configOf(spec, tuning, catalogPath);
  return {
    ...program(spec),
    files: {
      [`${ENGINE_FOLDER}/config.toml`]: `${stringify(config)}\n`,
      [`${TEMPORARY_FOLDER}/.keep`]: '',
      ...instructionsOf(spec),
      ...(catalog ? { [`${ENGINE_FOLDER}/models.json`]: catalog } : {}),
    },
    sessionsFolder: `${ENGINE_FOLDER}/sessions`,
    archiveFolder: `${ENGINE_FOLDER}/archived_sessions`,
  };
}

/** Always given: without it the engine would trust a folder in which it may write. */
function trustOf({ repositorySettings }: EngineHomeSpec): string {
  return repositorySettings === true ? 'trusted' : 'untrusted';
}

/** Instructions in the engine's file for all projects: it reads none of an untrusted project. */
function instructionsOf({
  repositorySettings,
  instructions,
}: EngineHomeSpec): Record<string, string> {
  const isReadThere = repositorySettings === true || instructions === undefined;
  return isReadThere ? {} : { [`${ENGINE_FOLDER}/AGENTS.md`]: instructions };
}

/**
 * The program with its environment: in the image the search path is the image's own, on the host
 * the engine's tools are added.
 */
function program(spec: EngineHomeSpec): Pick<EngineLaunch, 'argv' | 'env'> {
  const env = {
    HOME: spec.homePath,
    CODEX_HOME: posix.join(spec.homePath, ENGINE_FOLDER),
    TMPDIR: posix.join(spec.homePath, TEMPORARY_FOLDER),
    [TOKEN_VARIABLE]: spec.proxyToken,
  };
  const operator = spec.workspacePath === null ? OPERATOR_OVERRIDES : {};
  const overrides = Object.entries({ ...OVERRIDES, ...operator }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ]);
  const serve = ['app-server', ...overrides];
  const { binaryPath, toolsPath } = engineBuild(spec);
  if (spec.sandboxed) return { argv: [binaryPath, ...serve], env };
  const searchPath = [process.env.PATH, toolsPath].filter(Boolean).join(':');
  return { argv: [binaryPath, ...serve], env: { ...env, PATH: searchPath } };
}

/** The allowed servers of the repository in the engine's configuration format. */
function repositoryServersOf({ repositoryServers = [] }: EngineHomeSpec): Record<string, unknown> {
  if (repositoryServers.length === 0) return {};
  const entries = repositoryServers.map((server) => {
    if ('command' in server) {
      const { command, args, env } = server;
      return [server.name, { command, args, env }];
    }
    return [server.name, { url: server.url, http_headers: server.headers }];
  });
  return { mcp_servers: Object.fromEntries(entries) };
}

/**
 * The engine's own sandbox stays off: it cannot start inside the container, and would prevent
 * commits. Without the container nothing protects the host, which the product reports. In an
 * untrusted workspace the engine ignores the repository's settings, hooks and rules.
 */
function configOf(
  spec: EngineHomeSpec,
  tuning: ProviderTuning,
  catalogPath: string | null,
): Record<string, unknown> {
  return {
    model: spec.model,
    ...(spec.reasoningEffort === undefined ? {} : { model_reasoning_effort: spec.reasoningEffort }),
    model_provider: PROVIDER_ID,
    ...(catalogPath ? { model_catalog_json: catalogPath } : {}),
    approval_policy: 'never',
    sandbox_mode: spec.workspacePath === null ? 'read-only' : 'danger-full-access',
    check_for_update_on_startup: false,
    cli_auth_credentials_store: 'file',
    mcp_oauth_credentials_store: 'file',
    analytics: { enabled: false },
    feedback: { enabled: false },
    history: { persistence: 'none' },
    skills: { bundled: { enabled: false } },
    ...(spec.workspacePath === null
      ? {}
      : { projects: { [spec.workspacePath]: { trust_level: trustOf(spec) } } }),
    ...repositoryServersOf(spec),
    model_providers: {
      [PROVIDER_ID]: {
        name: 'Switchyard model proxy',
        base_url: spec.providerBaseUrl,
        wire_api: spec.wireApi,
        env_key: TOKEN_VARIABLE,
        request_max_retries: tuning.requestMaxRetries,
        stream_max_retries: tuning.streamMaxRetries,
        stream_idle_timeout_ms: tuning.streamIdleTimeoutMs,
      },
    },
  };
}

/** The engine's program, and the folder of its build with programs that it needs. */
type EngineBuild = { binaryPath: string; toolsPath: string };

/** Finds the engine in the image or on this host. Throws as `launchProgram` does. */
function engineBuild(spec: Pick<EngineHomeSpec, 'sandboxed' | 'isRunning'>): EngineBuild {
  const [binaryPath = ''] = launchProgram(DEFAULT_PART, spec);
  return { binaryPath, toolsPath: join(dirname(binaryPath), '..', 'codex-path') };
}
