import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { EngineOperation, EngineOutcome } from '@switchyard/shared/protocol/engine-operations';

/**
 * The port behind which a coding agent runs: `codex/` is the adapter of one engine, `acp/` that of
 * every agent that speaks the Agent Client Protocol. Nothing outside an adapter's folder knows an
 * engine's method names or item shapes.
 */

/** Absolute totals of a thread, as the engine reports them. Never a sum of our own. */
export type TokenTotals = {
  input: number;
  cachedInput: number;
  output: number;
  reasoning: number;
  total: number;
};

/** Why a turn failed, in words the orchestrator decides by. */
export type TurnFailure = {
  kind:
    | 'agent_error'
    | 'auth_failed'
    | 'usage_limited'
    | 'provider_unreachable'
    | 'context_exceeded';
  message: string;
  /** When the provider says it resets, epoch milliseconds. */
  resetAtMs?: number;
  /** The provider was reached and sent nothing, which it may do to one conversation alone. */
  isSilence?: true;
};

export type Question = {
  id: string;
  header: string;
  question: string;
  options: { label: string; description: string }[];
  /** The answer must be hidden wherever it is shown. */
  isSecret: boolean;
};

/**
 * What an engine says, reduced to what a person or the orchestrator needs. Every one of them counts
 * as life except those with `kind: 'stats'`.
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
   * `totals` of the thread, `last` of the model's newest answer alone. For people only: what counts
   * is what the model proxy saw.
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

/** Bytes to and from a running engine. `EngineContainer` fits it. */
export interface EngineStdio {
  stdout(fromByte: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  readonly exited: Promise<{ exitCode: number | null; signal: string | null; oom: boolean }>;
}

/** What an adapter needs to write an engine's fresh home folder. */
export type EngineHomeSpec = {
  model: string;
  reasoningEffort?: string;
  /** Address as seen from the engine; the runner's model proxy, never the provider. */
  providerBaseUrl: string;
  wireApi: WireApi;
  /** Per-attempt proxy token: the only credential inside. */
  proxyToken: string;
  /** Paths as the engine sees them. */
  homePath: string;
  /** Null for an operator engine: it works nowhere, trusts no folder and may change nothing. */
  workspacePath: string | null;
  /** Settings of the repository for the engine itself count. Default: they are ignored. */
  repositorySettings?: boolean;
  /** What the repository tells agents; an engine that ignores its settings may not read it. */
  instructions?: string;
  /** Where the agent's tools are served; left out: it is offered none, or natively. */
  toolServer?: ToolServer;
  /** Servers of the repository that a person allowed; they run beside the engine. */
  repositoryServers?: readonly RepositoryServer[];
  sandboxed: boolean;
  /** A former process of the runner started it: its program may be of another version, and gone. */
  isRunning?: boolean;
};

/** MCP server (Streamable HTTP) on the engine's own loopback, with the attempt's token. */
export type ToolServer = {
  /** Name that the agent sees, in front of its tools. */
  name: string;
  url: string;
  headers: Record<string, string>;
};

/** MCP server that a repository declares: a program, or an address that the way out may allow. */
export type RepositoryServer = { name: string } & (
  | { command: string; args: string[]; env: Record<string, string> }
  | { url: string; headers: Record<string, string> }
);

export type EngineLaunch = {
  argv: string[];
  env: Record<string, string>;
  /** Files for the home folder, by path relative to it. */
  files: Record<string, string>;
  /** Folder below home whose files are kept per issue so that a thread can be resumed. */
  sessionsFolder: string;
  /** Folder below home where the engine puts sessions that were archived. */
  archiveFolder?: string;
  /** The sessions are a database: they are copied only after the engine has ended. */
  sessionsNeedEnd?: boolean;
  /** Files below home with secrets: removed as soon as a thread began, before the first turn. */
  secretFiles?: readonly string[];
  /**
   * Folders at the workspace's root from which the engine would run programs: an empty read-only
   * folder is mounted over each, and they are left out of what is committed.
   */
  hiddenFolders?: readonly string[];
};

/**
 * What must outlive a runner crash for a session to be adopted again. `save` is called before a
 * write and after each event that the consumer is done with, so it must be cheap; `pending` is the
 * adapter's own (JSON) and opaque to everyone else.
 */
export type EngineJournal = {
  load(): { stdoutOffset: number; nextRpcId: number; pending: unknown[] } | null;
  save(state: { stdoutOffset: number; nextRpcId: number; pending: unknown[] }): void;
};

/** The agent uses one of the tools it was offered. */
export type ToolCall = { tool: string; arguments: unknown };
/** What the agent reads; without success it knows that nothing, or not all, was done. */
export type ToolAnswer = { success: boolean; text: string };

/**
 * What became of words for the live turn. `queued`: the engine takes none during a turn, so whoever
 * asked gives them with the next one. `no_turn`: no turn is live, and they were not taken.
 */
export type SteerOutcome = 'joined' | 'queued' | 'no_turn';

export type TurnInput = { text: string; clientMessageId: string };

/** One engine process, one thread of interest. All calls have timeouts and reject after exit. */
export interface EngineSession {
  /** `userAgent` or version of the engine, for reports. */
  readonly engineVersion: string;
  /** In order, ends when the engine exits or the session is closed. Messages of other threads are ignored. */
  readonly events: AsyncIterable<EngineEvent>;
  startThread(params: {
    cwd: string;
    model: string;
    /** A thread that is resumed keeps the ones it began with. */
    tools?: readonly ToolSpec[];
  }): Promise<{ threadId: string }>;
  /** Falls back to a new thread, saying so, when the stored one cannot be resumed. */
  resumeThread(params: {
    threadId: string;
    cwd: string;
    model: string;
    /** For the new thread, where one has to begin. */
    tools?: readonly ToolSpec[];
  }): Promise<{ threadId: string; resumed: boolean }>;
  startTurn(
    input: TurnInput,
    params: { model: string; reasoningEffort?: string },
  ): Promise<{ turnId: string }>;
  /** Gives a person's words to the live turn. */
  steer(input: TurnInput): Promise<SteerOutcome>;
  interrupt(): Promise<void>;
  /** Answers by question id. Unknown request: false. */
  answer(requestId: string, answers: Record<string, string[]>): Promise<boolean>;
  /** What people were asked and have not answered, also in a former process. Left out: nothing. */
  readonly openRequests?: readonly string[];
  /** The thread of interest, once there is one. Left out by engines that operators cannot ask. */
  readonly threadId?: string | null;
  /** Answers an operator about the thread of interest; never rejects. */
  ask?(operation: EngineOperation, requestTimeoutMs: number): Promise<EngineOutcome>;
  close(): void;
}

/** An engine that works on nothing and answers operators. */
export interface OperatorSession {
  readonly engineVersion: string;
  /** Never rejects. After `unreachable` the session is of no use any more. */
  ask(operation: EngineOperation, requestTimeoutMs: number): Promise<EngineOutcome>;
  close(): void;
}

export type OpenOperator = {
  stdio: EngineStdio;
  /** A folder of the engine's home as it sees it, for what needs a working folder. */
  emptyFolder: string;
  startTimeoutMs: number;
};

export type OpenSession = {
  stdio: EngineStdio;
  journal: EngineJournal;
  /** True after a runner restart: continue from the journal, never initialise again. */
  adopted: boolean;
  threadId?: string;
  /** Files in it are told by their path inside; left out, as the engine names them. */
  workspacePath?: string;
  /** Answers the agent's tool calls; never rejects. At most once per call, also over restarts. */
  callTool?(call: ToolCall): Promise<ToolAnswer>;
  /** Where an engine without tools of ours finds them; given anew with each start and resume. */
  toolServer?: ToolServer;
  /** As in `EngineHomeSpec`, for engines that take them with a thread. */
  instructions?: string;
  repositorySettings?: boolean;
  /** As in EngineHomeSpec, for engines that learn of servers with the thread. */
  repositoryServers?: readonly RepositoryServer[];
};

export interface AgentEngine {
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** How the agent gets tools of ours. `native`: with the thread; `mcp`: from `toolServer`. */
  readonly tools: 'native' | 'mcp';
  /** Globs of files in a repository that would configure the engine; agents may not push those. */
  readonly configPaths?: readonly string[];
  /** Files at a repository's root that tell agents something; the first there counts. */
  readonly instructionFiles?: readonly string[];
  launch(spec: EngineHomeSpec): EngineLaunch;
  open(options: OpenSession): Promise<EngineSession>;
  /** Rejects when the engine is not ready in time. Left out by engines that operators cannot ask. */
  openOperator?(options: OpenOperator): Promise<OperatorSession>;
}
