import {
  type CheckOutcome,
  type CheckSpec,
  MAX_CHECK_OUTPUT_CHARS,
} from '@switchyard/shared/checks/check-spec';
import { messageOf } from '@switchyard/shared/message-of';
import { cutText, textTail } from '@switchyard/shared/text/cut-text';
import { plainLine, plainText } from '@switchyard/shared/text/plain-text';
import type { CommandResult } from '../../container/container-engine.ts';
import { redactUrls } from '../../workspace/git/redact-urls.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { WayOut } from '../session/start-engine.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { withTries } from '../steps/deliver-step.ts';
import { hookEnv } from '../steps/prepare-step.ts';

const MAX_STREAM_BYTES = 16 * 1024 * 1024;
/** Characters read from each stream: escape sequences are removed before it is truncated. */
const READ_CHARS = 8 * MAX_CHECK_OUTPUT_CHARS;
const MAX_MESSAGE_CHARS = 500;
const AGAIN_MS = [2_000, 2_000];

/** The result of one run of a check. */
export type CheckRun = {
  outcome: CheckOutcome;
  /** Exit code; null when it was stopped or did not run. */
  exitCode: number | null;
  /** The end of both streams as plain text. */
  output: string;
  durationMs: number;
  /** Why it did not run, or was stopped. */
  message?: string;
};

/**
 * Runs a check in its own container with the same network access as hooks; stopping the attempt
 * stops it. Failures of the machine are `not_run`, after some retries.
 */
export async function runCheck(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  { name, command, timeoutMs }: CheckSpec,
  wayOut: WayOut | null,
): Promise<CheckRun> {
  const { control, deps } = context;
  const { access, env = {} } = wayOut ?? {};
  const proxy = Object.keys(env).length === 0 ? undefined : access;
  const run = runInWorkspaceOf(context, workspace, control.signal, { proxy });
  const startedMs = deps.clock.monotonicMs();
  const durationMs = () => Math.max(0, deps.clock.monotonicMs() - startedMs);
  const trying = { what: `the check ${name} could not be run`, againMs: AGAIN_MS };
  try {
    const result = await withTries(context, trying, () =>
      run({
        purpose: 'check',
        argv: ['sh', '-lc', command],
        timeoutMs,
        env: { ...env, ...hookEnv(context, workspace), CI: 'true' },
        maxOutputBytes: MAX_STREAM_BYTES,
      }),
    );
    control.check();
    return { ...outcomeOf(result, timeoutMs), output: outputOf(result), durationMs: durationMs() };
  } catch (error) {
    const why = control.order === null ? messageOf(error) : 'the attempt was stopped';
    const message = cutText(redactUrls(plainLine(why)), MAX_MESSAGE_CHARS);
    return { outcome: 'not_run', exitCode: null, output: '', durationMs: durationMs(), message };
  }
}

function outcomeOf(
  { exitCode, timedOut, outputExceeded }: CommandResult,
  timeoutMs: number,
): Pick<CheckRun, 'outcome' | 'exitCode' | 'message'> {
  if (timedOut) {
    const message = `took longer than ${timeoutMs / 1_000} s and was stopped`;
    return { outcome: 'timed_out', exitCode: null, message };
  }
  if (outputExceeded) {
    const message = 'printed more than 16 MiB and was stopped';
    return { outcome: 'failed', exitCode: null, message };
  }
  return { outcome: exitCode === 0 ? 'passed' : 'failed', exitCode };
}

/** Each stream gets half of the space, and what the other leaves. */
function outputOf({ stdout, stderr }: CommandResult): string {
  const [out, err] = [stdout, stderr].map((stream) =>
    redactUrls(plainText(textTail(stream, READ_CHARS))).trim(),
  ) as [string, string];
  if (out === '' || err === '') return textTail(out + err, MAX_CHECK_OUTPUT_CHARS);
  const room = MAX_CHECK_OUTPUT_CHARS - 1;
  const ofErr = Math.max(Math.floor(room / 2), room - out.length);
  const end = textTail(err, ofErr);
  return `${textTail(out, room - end.length)}\n${end}`;
}
