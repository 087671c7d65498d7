import {
  type CallMethod,
  type CallParams,
  Calls,
  type CallValue,
} from '@switchyard/shared/protocol/calls';
import { AppError } from '../../errors.ts';
import type { Ids, RunnerCalls, RunnerSockets } from '../../ports/ports.ts';

const MAX_PENDING = 1_000;

type Pending = {
  runnerId: string;
  /** Repository of the call; null when it concerns none. */
  repositoryUrl: string | null;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
};

/** Runs `then` after a while, unless the returned function is called before. */
export type After = (delayMs: number, then: () => void) => () => void;

const realTime: After = (delayMs, then) => {
  const timer = setTimeout(then, delayMs);
  return () => clearTimeout(timer);
};

/**
 * Sends calls to runners and awaits their results. A call ends with its session and runs at most
 * once.
 */
export function createRunnerCalls(deps: {
  sockets: RunnerSockets;
  ids: Ids;
  /** Default: the runtime's timers. */
  after?: After;
}): RunnerCalls {
  const { after = realTime } = deps;
  const pending = new Map<string, Pending>();

  async function call<M extends CallMethod>(
    runnerId: string,
    method: M,
    params: CallParams<M>,
    timeoutMs: number,
  ): Promise<CallValue<M>> {
    if (pending.size >= MAX_PENDING)
      throw new AppError('unavailable', 'too many calls to runners are open');
    const callId = deps.ids.next('call');
    const sent = deps.sockets.send(runnerId, [{ type: 'call', callId, method, params, timeoutMs }]);
    if (!sent)
      throw new AppError('unavailable', 'the runner is not connected', {
        reason: 'runner_offline',
      });
    const value = await new Promise<unknown>((resolve, reject) => {
      const stopTimer = after(timeoutMs, () => {
        pending.delete(callId);
        reject(
          new AppError(
            'upstream_failed',
            `the runner did not answer ${method} within ${timeoutMs} ms`,
          ),
        );
      });
      const settle = (then: () => void) => {
        stopTimer();
        pending.delete(callId);
        then();
      };
      pending.set(callId, {
        runnerId,
        repositoryUrl: 'repository' in params ? params.repository.url : null,
        resolve: (answer) => settle(() => resolve(answer)),
        reject: (error) => settle(() => reject(error)),
      });
    });
    const parsed = Calls[method].value.safeParse(value);
    if (!parsed.success)
      throw new AppError('upstream_failed', `the runner's answer to ${method} is malformed`);
    return parsed.data as CallValue<M>;
  }

  return {
    call,
    concerns(runnerId, repositoryUrl) {
      const open = [...pending.values()];
      return open.some((one) => one.runnerId === runnerId && one.repositoryUrl === repositoryUrl);
    },
    abandon(runnerId) {
      for (const waiting of pending.values()) {
        if (waiting.runnerId !== runnerId) continue;
        waiting.reject(
          new AppError('upstream_failed', 'the runner went away before it answered', {
            reason: 'runner_offline',
          }),
        );
      }
    },
    settle(runnerId, message) {
      const waiting = pending.get(message.callId);
      // The result is late or belongs to another runner's call: it is dropped.
      if (waiting === undefined || waiting.runnerId !== runnerId) return;
      if (message.ok) {
        waiting.resolve(message.value);
        return;
      }
      const { code = 'failed', message: text = 'the runner refused' } = message.error ?? {};
      waiting.reject(
        new AppError(code === 'merge_conflict' ? 'conflict' : 'upstream_failed', text, {
          reason: code,
        }),
      );
    },
  };
}
