import { posix } from 'node:path';
import { stringify } from 'smol-toml';
import type { EngineHomeSpec, EngineLaunch } from '../agent-engine.ts';
import { engineBuild } from './engine-build.ts';
import { modelCatalog } from './model-catalog.ts';

/** Name of the variable that carries the proxy token to the engine, and to nothing it starts. */
const TOKEN_VARIABLE = 'SWITCHYARD_PROXY_TOKEN';

/** Named in every thread, so that an engine that lost its configuration refuses to start one. */
export const PROVIDER_ID = 'switchyard';

/** Below the home folder, so that temporary files never lie above the engine's own folder. */
const ENGINE_FOLDER = 'codex';
const TEMPORARY_FOLDER = 'tmp';

export type ProviderTuning = {
  /** Repeats of a call that was answered with 5xx or not at all. */
  requestMaxRetries: number;
  /** Repeats of a call whose stream broke. */
  streamMaxRetries: number;
  /** Silence inside a stream after which it counts as broken, milliseconds. */
  streamIdleTimeoutMs: number;
};

/** A silent stream is tried again before the default turn clock of 300 s gives the turn up. */
export const DEFAULT_TUNING: ProviderTuning = {
  requestMaxRetries: 4,
  streamMaxRetries: 5,
  streamIdleTimeoutMs: 240_000,
};

/**
 * Given as arguments, because a repository's own `.codex/config.toml` outranks the home's file.
 * Off: what needs the network or a person at a screen, what starts further agents (their tokens
 * are in no total of ours), and what repeats for ever.
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

/** An operator's engine starts no turn; hooks and what it would prepare for a turn stay off as well. */
const OPERATOR_OVERRIDES: Record<string, string> = {
  'features.hooks': 'false',
  'features.code_mode_host': 'false',
};

/** Throws for a wire API that the engine no longer speaks and for a missing host engine. */
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

/** Said in either case: left out, the engine would come to trust a folder it may write in. */
function trustOf({ repositorySettings }: EngineHomeSpec): string {
  return repositorySettings === true ? 'trusted' : 'untrusted';
}

/** The engine's own file for all projects: of one that is not trusted it reads none. */
function instructionsOf({
  repositorySettings,
  instructions,
}: EngineHomeSpec): Record<string, string> {
  const isReadThere = repositorySettings === true || instructions === undefined;
  return isReadThere ? {} : { [`${ENGINE_FOLDER}/AGENTS.md`]: instructions };
}

/** In our image the search path is the image's own; on the host the engine's tools join it. */
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

/** Servers of the repository that a person allowed, in the form of the engine's configuration. */
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
 * The engine's own sandbox stays off: inside our container it cannot start, and it would keep the
 * agent from committing. Without the container nothing protects, and the product says so. In a
 * workspace that is not trusted the engine ignores the repository's settings, hooks and rules.
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
