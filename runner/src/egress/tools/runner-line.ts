import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requestText } from '@switchyard/shared/host/request-text';
import { parseJson } from '@switchyard/shared/text/parse-json';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import {
  type AbandonedCall,
  CallAnswer,
  type RunnerCall,
  TOOL_PATHS,
  ToolList,
  type ToolOwner,
} from './runner-call.ts';

const MAX_ANSWER_BYTES = 1024 * 1024;
const LIST_TIMEOUT_MS = 10_000;
/**
 * Consecutive broken connections, each soon after the last, after which the runner counts as gone.
 */
const MAX_LOSSES_IN_A_ROW = 20;

export const LINE_LIMITS = {
  /** How long an unreachable runner is awaited, since it may be restarting. */
  awayMs: 60_000,
  retryMs: 250,
};

const NOT_TAKEN: CallAnswer = {
  success: false,
  text: 'The runner that carries out this tool is not there. Nothing was done; call again later, or go on without it.',
};
const UNCERTAIN: CallAnswer = {
  success: false,
  text: 'The runner that carries out this tool went away during the call. Whether it took effect is not known: look before you repeat it.',
};

/**
 * The socket on which the runner of a data folder serves tools, beside the proxy's control socket.
 */
export function toolSocketPath(controlSocketPath: string): string {
  return join(dirname(controlSocketPath), 'tools.sock');
}

/**
 * The proxy's connection to the runner for tool calls. A call that the runner had accepted before a
 * restart is requested again with the same key.
 */
export class RunnerLine {
  readonly #socketPath: string;
  readonly #limits: typeof LINE_LIMITS;

  constructor(socketPath: string, limits: Partial<typeof LINE_LIMITS> = {}) {
    this.#socketPath = socketPath;
    this.#limits = { ...LINE_LIMITS, ...limits };
  }

  /** Tools of an attempt; null when the runner does not answer in time, or the attempt has none. */
  async tools(owner: ToolOwner, signal: AbortSignal): Promise<ToolSpec[] | null> {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
    const answer = await this.#persist(TOOL_PATHS.list, owner, timed);
    const parsed = ToolList.safeParse(answer.body);
    return parsed.success ? parsed.data.tools : null;
  }

  /** Performs a call without a time limit. Rejects only when `signal` aborts. */
  async call(call: RunnerCall, signal: AbortSignal): Promise<CallAnswer> {
    const answer = await this.#persist(TOOL_PATHS.call, call, signal);
    signal.throwIfAborted();
    const parsed = CallAnswer.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    return answer.wasTaken ? UNCERTAIN : NOT_TAKEN;
  }

  /** Tells the runner that nobody waits for a call; a failure to reach it is ignored. */
  async abandoned(call: AbandonedCall): Promise<void> {
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    await this.#post(TOOL_PATHS.abandoned, call, signal).catch(() => undefined);
  }

  /**
   * Retries until there is an answer, the runner was unreachable for too long, or `signal` aborts.
   */
  async #persist(
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<{ body: unknown; wasTaken: boolean }> {
    let lostAtMs = performance.now();
    let losses = 0;
    while (!signal.aborted) {
      try {
        const answer = await this.#post(path, body, signal);
        if (answer.status === 200) return { body: answer.body, wasTaken: true };
        // Other statuses are final; for 404 the attempt may be taken over after a restart.
        if (answer.status !== 404) break;
      } catch (error) {
        if (signal.aborted) break;
        if (isLoss(error)) {
          const nowMs = performance.now();
          // A question may wait for weeks, in which a runner restarts several times.
          losses = nowMs - lostAtMs > this.#limits.awayMs ? 1 : losses + 1;
          lostAtMs = nowMs;
        }
      }
      const isAway = performance.now() - lostAtMs > this.#limits.awayMs;
      if (isAway || losses > MAX_LOSSES_IN_A_ROW) break;
      await delay(this.#limits.retryMs, undefined, { signal }).catch(() => undefined);
    }
    return { body: null, wasTaken: losses > 0 };
  }

  async #post(
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<{ status: number; body: unknown }> {
    const options = { socketPath: this.#socketPath, method: 'POST', path, signal, agent: false };
    const sent = { text: toJson(body), maxBytes: MAX_ANSWER_BYTES };
    const { status, text } = await requestText(options, sent);
    return { status, body: parseJson(text) };
  }
}

/** Whether the connection broke after the runner had accepted it. */
function isLoss(error: unknown): boolean {
  return !(error instanceof Error && 'syscall' in error && error.syscall === 'connect');
}
