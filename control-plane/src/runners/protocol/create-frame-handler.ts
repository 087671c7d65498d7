import type { RunnerMessage } from '@switchyard/shared/protocol/messages';
import { callTool } from '../../attempts/tools/call-tool.ts';
import { toolNamed } from '../../attempts/tools/offered-tools.ts';
import type { Deps } from '../../deps.ts';
import { stopOverBudget } from '../../usage/stop-over-budget.ts';
import { markDraining } from '../admin/mark-draining.ts';
import { answerCall } from '../calls/answer-call.ts';
import { answerLater } from '../calls/answer-later.ts';
import { callToolOfAttempt } from '../calls/call-tool-of-attempt.ts';
import { gitCredentials } from '../calls/git-credentials.ts';
import { reclaimMissingAttempts } from '../leases/reclaim-attempt.ts';
import { beginSession } from '../session/begin-session.ts';
import { endForForeignThread } from '../session/foreign-thread.ts';
import type { Replies, RunnerSession } from '../session/runner-session.ts';
import { sealSecretsFor } from '../session/seal-secrets.ts';
import { handleAccept } from './handle-accept.ts';
import { handleDecline } from './handle-decline.ts';
import { handleEvents } from './handle-events.ts';
import { handleFinish } from './handle-finish.ts';
import { type FrameResult, handleFrame } from './handle-frame.ts';
import { handleHello } from './handle-hello.ts';
import { handleLiveText } from './handle-live-text.ts';
import { handleReleased } from './handle-released.ts';
import { handleRenew } from './handle-renew.ts';
import { storeEvents } from './store-events.ts';

/** Handles one frame of a runner; frames of a session are handled in order. */
export type FrameHandler = (session: RunnerSession, text: string) => Promise<FrameResult>;

/** Connects frames of runners with the handlers of their messages. */
export function createFrameHandler(deps: Deps): FrameHandler {
  const handleMessage = createMessageHandler(deps);
  return handleFrame.bind(undefined, { ...deps, handleMessage });
}

/** Connects each message of a runner with its handler, and the handler with what it needs. */
function createMessageHandler(deps: Deps) {
  const accept = handleAccept.bind(undefined, {
    ...deps,
    sealSecretsFor: sealSecretsFor.bind(undefined, deps),
  });
  const hello = handleHello.bind(undefined, {
    ...deps,
    beginSession: beginSession.bind(undefined, deps),
    reclaimMissingAttempts: reclaimMissingAttempts.bind(undefined, deps),
  });
  const events = handleEvents.bind(undefined, {
    ...deps,
    storeEvents: storeEvents.bind(undefined, deps),
    stopOverBudget: stopOverBudget.bind(undefined, deps),
    endForForeignThread: endForForeignThread.bind(undefined, deps),
  });
  const call = answerCall.bind(undefined, {
    ...deps,
    answerLater: answerLater.bind(undefined, deps),
    gitCredentials: gitCredentials.bind(undefined, deps),
    callTool: callToolOfAttempt.bind(undefined, {
      ...deps,
      callTool: callTool.bind(undefined, { ...deps, toolNamed: toolNamed.bind(undefined, deps) }),
    }),
  });
  /** The message may leave something to do, so the coordinator runs once it is handled. */
  const waking = async (handled: Promise<Replies>) => {
    const replies = await handled;
    deps.wake();
    return replies;
  };
  return async (session: RunnerSession, message: RunnerMessage): Promise<Replies> => {
    switch (message.type) {
      case 'hello':
        return waking(hello(session, message));
      case 'accept':
        return waking(accept(session, message));
      case 'decline':
        return waking(handleDecline(deps, session, message));
      case 'renew':
        return handleRenew(deps, session, message);
      case 'events':
        return events(session, message);
      case 'finish':
        return waking(handleFinish(deps, session, message));
      case 'released':
        return waking(handleReleased(deps, session, message));
      case 'call':
        return call(session, message);
      case 'result':
        deps.connections.settle(session.runnerId, message);
        return [];
      case 'drain':
        return markDraining(deps, session);
      case 'delta':
        handleLiveText(deps, session, message);
        return [];
      case 'error':
        deps.logger.warn('runner reports an error', {
          runnerId: session.runnerId,
          code: message.code,
          error: message.message,
        });
        return [];
    }
  };
}
