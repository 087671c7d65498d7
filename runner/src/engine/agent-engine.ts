import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { EngineOperation, EngineOutcome } from '@switchyard/shared/protocol/engine-operations';

/**
 * The port to coding agents: `codex/` adapts one engine, `acp/` every agent that speaks the Agent
 * Client Protocol. Nothing outside an adapter's folder knows an engine's method names or item
 * shapes.
 */

/** Absolute totals of a thread as the engine reports them, never computed here. */
export type TokenTotals = {
  input: number;
  cachedInput: number;
  output: number;
  reasoning: number;
  total: number;
};

/** Why a turn failed, as a kind that decisions use. */
export type TurnFailure = {
  kind:
    | 'agent_error'
    | 'auth_failed'
    | 'usage_limited'
    | 'provider_unreachable'
    | 'context_exceeded';
  message: string;
  /** When the provider's limit resets, epoch milliseconds. */
  resetAtMs?: number;
  /** The provider was reachable but sent nothing, which may concern one conversation only. */
  isSilence?: true;
};

export type Question = {
  id: string;
  header: string;
  question: string;
  options: { label: string; description: string }[];
  /** Whether the answer must be hidden wherever it is shown. */
  isSecret: boolean;
};

/**
 * An engine's events, reduced to what people or the orchestrator need. All but `kind: 'stats'`
 * count as signs of life.
 */
export type EngineEvent =
  | { kind: 'turn_started'; threadId: string; turnId: string }
  | {
      kind: 'turn_ended';
      turnId: string;
      status: 'completed' | 'interrupted' | 'failed';
      failure?: TurnFailure;
    }
  | { kind: 'item_started'; itemId: string; item: EngineItem }
  | { kind: 'item_ended'; itemId: string; item: EngineItem }
  /** Streaming text: lossy, shown live and never stored. */
  | { kind: 'delta'; itemId: string; stream: 'message' | 'reasoning' | 'output'; text: string }
  /**
   * `totals` of the thread, `last` of the model's newest response alone. For people only: the model
   * proxy's count is used.
   */
  | { kind: 'stats'; totals: TokenTotals; last?: TokenTotals; contextWindow?: number }
  | { kind: 'request'; requestId: string; turnId: string; questions: Question[] }
  | { kind: 'request_resolved'; requestId: string }
  | { kind: 'notice'; level: 'info' | 'warning' | 'error'; message: string; willRetry?: boolean }
  /** A line that is no message of the protocol; at most its first 2 KiB. */
  | { kind: 'garbage'; sample: string; bytes: number };

export type EngineItem =
  | { type: 'message'; text: string }
  | { type: 'user_message'; text: string; clientId?: string }
  | { type: 'reasoning'; text: string }
  | {
      type: 'command';
      command: string;
      cwd?: string;
      status: string;
      exitCode?: number;
      output?: string;
      durationMs?: number;
    }
  | {
      type: 'file_change';
      status: string;
      changes: { path: string; kind: string; diff?: string }[];
    }
  | {
      type: 'tool_call';
      tool: string;
      status: string;
      arguments?: unknown;
      output?: string;
      durationMs?: number;
    }
  | { type: 'plan'; text: string }
  | { type: 'other'; name: string; summary?: string };

/** Input and output of a running engine. `EngineContainer` implements it. */
export interface EngineStdio {
  stdout(fromByte: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  readonly exited: Promise<{ exitCode: number | null; signal: string | null; oom: boolean }>;
}

/** What an adapter needs to write an engine's new home folder. */
export type EngineHomeSpec = {
  model: string;
  reasoningEffort?: string;
  /** Address as the engine sees it: the runner's model proxy, never the provider. */
  providerBaseUrl: string;
  wireApi: WireApi;
  /** Token of the attempt for the proxy: the only credential inside. */
  proxyToken: string;
  /** Paths as the engine sees them. */
  homePath: string;
  /** Null for an operator engine, which has no workspace and must change nothing. */
  workspacePath: string | null;
  /** Whether the repository's settings for the engine apply. Default: they are ignored. */
  repositorySettings?: boolean;
  /**
   * The repository's instructions for agents; an engine that ignores its settings may not read them
   * itself.
   */
  instructions?: string;
  /** Address of the tool server; left out: no tools, or native ones. */
  toolServer?: ToolServer;
  /** MCP servers of the repository that a person allowed; they run beside the engine. */
  repositoryServers?: readonly RepositoryServer[];
  sandboxed: boolean;
  /**
   * The engine was started by a former process of the runner: its program may have another version
   * or be removed.
   */
  isRunning?: boolean;
};

/** MCP server (Streamable HTTP) on the engine's loopback, with the attempt's token. */
export type ToolServer = {
  /** Name that the agent sees as a prefix of its tools. */
  name: string;
  url: string;
  headers: Record<string, string>;
};

/**
 * MCP server that a repository declares: a program, or an address that the network rules may allow.
 */
export type RepositoryServer = { name: string } & (
  | { command: string; args: string[]; env: Record<string, string> }
  | { url: string; headers: Record<string, string> }
);

export type EngineLaunch = {
  argv: string[];
  env: Record<string, string>;
  /** Files of the home folder by relative path. */
  files: Record<string, string>;
  /** Folder below the home whose files are kept for each issue, so that a thread can be resumed. */
  sessionsFolder: string;
  /** Folder below the home where the engine moves archived sessions. */
  archiveFolder?: string;
  /** The sessions are a database: they are copied only after the engine has ended. */
  sessionsNeedEnd?: boolean;
  /**
   * Files below the home with secrets: removed as soon as a thread has begun, before the first
   * turn.
   */
  secretFiles?: readonly string[];
  /**
   * Folders at the workspace's root from which the engine would run programs: an empty read-only
   * folder is mounted over each, and they are excluded from commits.
   */
  hiddenFolders?: readonly string[];
};

/**
 * State that must survive a runner crash, so that a session can be adopted. `save` is called before
 * each write and after each event that the consumer has handled, so it must be cheap; `pending` is
 * the adapter's own JSON and opaque to others.
 */
export type EngineJournal = {
  load(): { stdoutOffset: number; nextRpcId: number; pending: unknown[] } | null;
  save(state: { stdoutOffset: number; nextRpcId: number; pending: unknown[] }): void;
};

/** The agent calls one of its offered tools. */
export type ToolCall = { tool: string; arguments: unknown };
/** The result for the agent; without success nothing, or not everything, was done. */
export type ToolAnswer = { success: boolean; text: string };

/**
 * The result of a message to the running turn. `queued`: the engine accepts none during a turn, so
 * the caller sends it with the next one. `no_turn`: no turn is running, and it was not accepted.
 */
export type SteerOutcome = 'joined' | 'queued' | 'no_turn';

export type TurnInput = { text: string; clientMessageId: string };

/**
 * A session with one engine process and one main thread. All calls have timeouts and reject after
 * the engine's exit.
 */
export interface EngineSession {
  /** The engine's `userAgent` or version, for reports. */
  readonly engineVersion: string;
  /**
   * Events in order; ends when the engine exits or the session is closed. Messages of other threads
   * are ignored.
   */
  readonly events: AsyncIterable<EngineEvent>;
  startThread(params: {
    cwd: string;
    model: string;
    /** Tools of a new thread; a resumed thread keeps its own. */
    tools?: readonly ToolSpec[];
  }): Promise<{ threadId: string }>;
  /**
   * Resumes a thread; falls back to a new one, and reports it, when the stored one cannot be
   * resumed.
   */
  resumeThread(params: {
    threadId: string;
    cwd: string;
    model: string;
    /** Tools for a new thread, if one must be started. */
    tools?: readonly ToolSpec[];
  }): Promise<{ threadId: string; resumed: boolean }>;
  startTurn(
    input: TurnInput,
    params: { model: string; reasoningEffort?: string },
  ): Promise<{ turnId: string }>;
  /** Sends a person's message to the running turn. */
  steer(input: TurnInput): Promise<SteerOutcome>;
  interrupt(): Promise<void>;
  /** Answers by question id. False for an unknown request. */
  answer(requestId: string, answers: Record<string, string[]>): Promise<boolean>;
  /** Unanswered questions, including those of a former process. Left out: none. */
  readonly openRequests?: readonly string[];
  /** The main thread once there is one. May be left out by engines that serve no operators. */
  readonly threadId?: string | null;
  /** Performs an operator's operation on the main thread; never rejects. */
  ask?(operation: EngineOperation, requestTimeoutMs: number): Promise<EngineOutcome>;
  close(): void;
}

/** A session with an engine that does no work and serves operators. */
export interface OperatorSession {
  readonly engineVersion: string;
  /**
   * Performs an operation; never rejects. After `unreachable` the session cannot be used any more.
   */
  ask(operation: EngineOperation, requestTimeoutMs: number): Promise<EngineOutcome>;
  close(): void;
}

export type OpenOperator = {
  stdio: EngineStdio;
  /** An empty folder of the engine's home, for operations that need a working folder. */
  emptyFolder: string;
  startTimeoutMs: number;
};

export type OpenSession = {
  stdio: EngineStdio;
  journal: EngineJournal;
  /**
   * True after a runner restart: the session continues from the journal and must not be initialised
   * again.
   */
  adopted: boolean;
  threadId?: string;
  /** Files in it are reported by their path inside; left out: as the engine names them. */
  workspacePath?: string;
  /**
   * Answers the agent's tool calls; never rejects. Called at most once for each call, also over
   * restarts.
   */
  callTool?(call: ToolCall): Promise<ToolAnswer>;
  /** Tool server for an engine without native tools; passed again with each start and resume. */
  toolServer?: ToolServer;
  /**
   * The repository's instructions and settings, as in `EngineHomeSpec`, for engines that receive
   * them with a thread.
   */
  instructions?: string;
  repositorySettings?: boolean;
  /**
   * MCP servers of the repository, as in `EngineHomeSpec`, for engines that receive them with the
   * thread.
   */
  repositoryServers?: readonly RepositoryServer[];
};

export interface AgentEngine {
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** How the agent gets offered tools. `native`: with the thread; `mcp`: from `toolServer`. */
  readonly tools: 'native' | 'mcp';
  /** Globs of repository files that would configure the engine; agents must not push those. */
  readonly configPaths?: readonly string[];
  /** Files at a repository's root with instructions for agents; the first existing one is used. */
  readonly instructionFiles?: readonly string[];
  launch(spec: EngineHomeSpec): EngineLaunch;
  open(options: OpenSession): Promise<EngineSession>;
  /**
   * Opens an operator session; rejects when the engine is not ready in time. Left out by engines
   * that serve no operators.
   */
  openOperator?(options: OpenOperator): Promise<OperatorSession>;
}
