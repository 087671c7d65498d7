import type { AgentEngine } from '../../agent-engine.ts';
import { createCodexEngine } from '../codex-engine.ts';

/**
 * A Codex engine for tests that does not retry requests to its provider and gives up a silent
 * stream after one second.
 */
export const quickEngine: AgentEngine = createCodexEngine({
  requestTimeoutMs: 10_000,
  tuning: { requestMaxRetries: 0, streamMaxRetries: 0, streamIdleTimeoutMs: 1_000 },
});
