import type { AgentEngine } from '../../agent-engine.ts';
import { createCodexEngine } from '../codex-engine.ts';

/** The engine without patience for its provider. */
export const quickEngine: AgentEngine = createCodexEngine({
  requestTimeoutMs: 10_000,
  tuning: { requestMaxRetries: 0, streamMaxRetries: 0, streamIdleTimeoutMs: 1_000 },
});
