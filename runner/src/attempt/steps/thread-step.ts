import type { EngineContainer } from '../../container/container-engine.ts';
import type { EngineSession } from '../../engine/agent-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { engineTrouble } from '../session/start-engine.ts';

export type Thread = { threadId: string; resumed: boolean };

/** Resumes the thread of an earlier attempt if there is one, else starts a new one. */
export async function threadStep(
  context: AttemptContext,
  session: EngineSession,
  container: EngineContainer,
  workspacePath: string,
): Promise<Thread> {
  const { spec } = context;
  const params = paramsOf(context, workspacePath);
  return await openThread(context, session, container, async () =>
    spec.resumeThreadId === undefined
      ? { ...(await session.startThread(params)), resumed: false }
      : await session.resumeThread({ threadId: spec.resumeThreadId, ...params }),
  );
}

/** Replaces the present thread, which exceeds its model's context, by a new one. */
export async function freshThread(
  context: AttemptContext,
  session: EngineSession,
  container: EngineContainer,
  workspacePath: string,
): Promise<Thread> {
  const params = paramsOf(context, workspacePath);
  return await openThread(context, session, container, async () => ({
    ...(await session.startThread(params)),
    resumed: false,
  }));
}

function paramsOf({ spec }: AttemptContext, workspacePath: string) {
  return {
    cwd: workspacePath,
    model: spec.engine.model,
    ...(spec.tools === undefined ? {} : { tools: spec.tools }),
  };
}

async function openThread(
  context: AttemptContext,
  session: EngineSession,
  container: EngineContainer,
  open: () => Promise<Thread>,
): Promise<Thread> {
  const { recorder, control } = context;
  try {
    const thread = await control.race(open());
    const { engineVersion } = session;
    context.usage.threadStarted(thread.resumed);
    recorder.progress({ threadId: thread.threadId, engineVersion });
    await recorder.event('thread', { ...thread, engineVersion });
    return thread;
  } catch (error) {
    control.check();
    throw await engineTrouble(context, container, error);
  }
}
