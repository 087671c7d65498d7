import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import type { AgentEngine } from '../agent-engine.ts';
import { DEFAULT_TUNING, type ProviderTuning, launchCodex } from './launch-codex.ts';
import { CodexOperator } from './codex-operator.ts';
import { CodexSession } from './session/codex-session.ts';

/** A long thread is read from disk before the engine answers. */
const REQUEST_TIMEOUT_MS = 30_000;

export type CodexEngineOptions = {
  /** Timeout of each call to the engine, milliseconds. */
  requestTimeoutMs?: number;
  tuning?: Partial<ProviderTuning>;
};

const CAPABILITIES: EngineCapabilities = {
  wireApis: ['responses'],
  steering: 'joins',
  resume: true,
  questions: true,
  reasoningEffort: true,
  operator: true,
  experimental: false,
  scripted: true,
};

/** Creates the engine for Codex (app-server). */
export function createCodexEngine(options: CodexEngineOptions = {}): AgentEngine {
  const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const tuning = { ...DEFAULT_TUNING, ...options.tuning };
  return {
    name: 'codex',
    capabilities: CAPABILITIES,
    tools: 'native',
    configPaths: ['.codex/**', '**/.codex/**'],
    instructionFiles: ['AGENTS.override.md', 'AGENTS.md'],
    launch: (spec) => launchCodex(spec, tuning),
    open: (session) => CodexSession.open(session, { requestTimeoutMs }),
    openOperator: (operator) => CodexOperator.open(operator),
  };
}

export const codexEngine: AgentEngine = createCodexEngine();
