import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { isSameEngine } from './is-same-engine.ts';

/**
 * The thread that an attempt with this choice resumes; null starts a new one. A thread can be
 * resumed only with its engine and account, since a provider may encrypt parts of it. `owner` is
 * the newest attempt of the thread; null when none is stored any more.
 */
export function threadToResume(
  thread: Pick<IssueRow, 'thread_id' | 'thread_engine'>,
  owner: Pick<AttemptRow, 'engine' | 'account' | 'model'> | null,
  choice: EngineChoice,
): string | null {
  if (thread.thread_id === null) return null;
  if (engineName(thread.thread_engine) !== engineName(choice.engine)) return null;
  const isOwn = owner === null ? choice.account === undefined : isSameEngine(owner, choice);
  return isOwn ? thread.thread_id : null;
}
