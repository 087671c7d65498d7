import { isHooksTree } from '../../workspace/hooks-tree.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { WayOut } from '../session/start-engine.ts';
import { checkWork } from './check-work.ts';
import { failingText } from './failing-text.ts';

/** What the agent must fix so that the declared checks pass; null when they do. */
export async function failingObjection(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  work: { commitSha: string; wayOut: WayOut | null },
): Promise<string | null> {
  if (!(await isToDeliver(context, workspace))) return null;
  const failing = await checkWork(context, workspace, { ...work, again: true });
  return failing.length === 0 ? null : failingText(failing, work.commitSha);
}

/** Whether the newest snapshot is known and contains work of the agent. */
async function isToDeliver(
  { saved, spec, deps }: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<boolean> {
  const { commitSha = null, diffStat } = saved.work ?? {};
  if (spec.checks === undefined || commitSha === null || diffStat?.files === 0) return false;
  return !(await isHooksTree(deps.workspaces, workspace, commitSha));
}
