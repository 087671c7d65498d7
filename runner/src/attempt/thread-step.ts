import type { EngineContainer } from '../container/container-engine.ts';
import type { EngineSession } from '../engine/agent-engine.ts';
import type { AttemptContext } from './attempt-deps.ts';
import { engineTrouble } from './start-engine.ts';

export type Thread = { threadId: string; resumed: boolean };

/** Step 3: the thread of an earlier attempt when there is one to resume, else a new one. */
export async function threadStep(
  context: AttemptContext,
  session: EngineSession,
  container: EngineContainer,
  workspacePath: string,
): Promise<Thread> {
  const { spec, recorder, control } = context;
  const params = {
    cwd: workspacePath,
    model: spec.engine.model,
    ...(spec.tools === undefined ? {} : { tools: spec.tools }),
  };
  try {
    const thread: Thread =
      spec.resumeThreadId === undefined
        ? { ...(await control.race(session.startThread(params))), resumed: false }
        : await control.race(session.resumeThread({ threadId: spec.resumeThreadId, ...params }));
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
