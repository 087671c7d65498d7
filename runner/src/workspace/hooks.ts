import { decodeTail } from '@switchyard/shared/text/decode-tail';
import { removeTree } from './disk/remove-tree.ts';
import type { Workspaces } from './open-workspaces.ts';
import { type PreparedWorkspace, type RunInWorkspace, WorkspaceError } from './workspace.ts';
import { basename } from 'node:path';
import { readWorkspaceRecord, writeWorkspaceRecord } from './workspace-record.ts';

export type HookName = 'after_create' | 'before_run' | 'after_run' | 'before_remove';

export type HookResult = {
  ok: boolean;
  /** Stdout and then stderr as one text, of which only the last 2 KiB are kept. */
  output: string;
  /** Why it failed, for people; null when it did not. */
  failure: string | null;
};

const OUTPUT_BYTES = 2 * 1024;
/** Limit of each stream, beyond which a hook fails; all but the last 2 KiB is dropped anyway. */
const MAX_STREAM_BYTES = 16 * 1024 * 1024;

/**
 * Runs one of the operator's hooks with `sh -lc` inside the workspace's isolation. A failing
 * after_create or before_run throws `hook_failed` or `hook_timeout`; the other two return the
 * failure.
 */
export async function runHook(
  runInWorkspace: RunInWorkspace,
  hook: {
    name: HookName;
    script: string;
    /** Timeout of the script, milliseconds: `hooks.timeoutMs`. */
    timeoutMs: number;
    env?: Readonly<Record<string, string>>;
  },
): Promise<HookResult> {
  const result = await runInWorkspace({
    purpose: hook.name.replace('_', '-'),
    argv: ['sh', '-lc', hook.script],
    ...(hook.env === undefined ? {} : { env: hook.env }),
    timeoutMs: hook.timeoutMs,
    maxOutputBytes: MAX_STREAM_BYTES,
  });
  const output = lastBytes([result.stdout, result.stderr].filter((part) => part !== '').join('\n'));
  const failure = result.timedOut
    ? `took longer than ${hook.timeoutMs} ms and was stopped`
    : result.outputExceeded
      ? 'printed more than 16 MiB and was stopped'
      : result.exitCode === 0
        ? null
        : `ended with exit code ${result.exitCode}`;
  if (failure !== null && (hook.name === 'after_create' || hook.name === 'before_run')) {
    const code = result.timedOut ? 'hook_timeout' : 'hook_failed';
    throw new WorkspaceError(
      code,
      `hook ${hook.name} ${failure}${output === '' ? '' : `: ${output}`}`,
    );
  }
  return { ok: failure === null, output, failure };
}

/**
 * Runs after_create for a new workspace. Success marks the workspace as created; a failure removes
 * it and throws, so that the next attempt starts with a new one.
 */
export async function runCreationHook(
  workspaces: Workspaces,
  runInWorkspace: RunInWorkspace,
  input: {
    workspace: PreparedWorkspace;
    script: string;
    timeoutMs: number;
    env?: Readonly<Record<string, string>>;
    /** Turns what the hook created into the workspace; left out: it is one already. */
    adopt?: () => Promise<void>;
  },
): Promise<HookResult> {
  const { workspace, script, timeoutMs, env, adopt } = input;
  try {
    const result = await runHook(runInWorkspace, {
      name: 'after_create',
      script,
      timeoutMs,
      ...(env === undefined ? {} : { env }),
    });
    await adopt?.();
    const record = await readWorkspaceRecord(workspaces.paths.records, basename(workspace.path));
    if (record !== null) {
      await writeWorkspaceRecord(workspaces.paths.records, { ...record, creationPending: false });
    }
    return result;
  } catch (error) {
    await removeTree(workspaces.paths, workspace.path);
    throw error;
  }
}

function lastBytes(text: string): string {
  return decodeTail(Buffer.from(text.trim()).subarray(-OUTPUT_BYTES));
}
