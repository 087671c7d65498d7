import { eq } from 'drizzle-orm';
import type { CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import { MAX_TOOL_ANSWER_CHARS } from '@switchyard/shared/protocol/limits';
import { cutText } from '@switchyard/shared/text/cut-text';
import { commitSteps } from '../../db/commit-steps.ts';
import { updateAttempt } from '../rows/update-attempt.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { Bound, Deps } from '../../deps.ts';
import type { AgentAnswer, JudgedCall } from '../../ports/ports.ts';
import { visibleText } from '../prompt/untrusted-text.ts';
import type { toolNamed } from './offered-tools.ts';
import { toolCallBegins, type ToolCallRecord, toolCallEnds } from './tool-call-begins.ts';
import { takeToolCall, toolCallEnded } from './take-tool-call.ts';

/** Shorter than the runner's own timeout, so that the agent always receives the result. */
const PERFORM_TIMEOUT_MS = 30_000;
const CUT = '\n… (cut: ask for less, for example with a smaller page)';

type ToolDeps = Pick<Deps, 'db' | 'clock' | 'errors' | 'config' | 'redactor'> & {
  toolNamed: Bound<typeof toolNamed>;
};
type Held = { attempt: AttemptRow; pullRequestUrl: string | null };

/**
 * Performs a tool call of an attempt with this service's credentials, within the tool's limits.
 * Records its result as an event and an audit row, unless the lease is lost: writes check that
 * right before, so a fenced attempt changes nothing.
 */
export async function callTool(
  deps: ToolDeps,
  held: Held,
  params: CallParams<'tool.call'>,
): Promise<CallValue<'tool.call'>> {
  const { attempt_id: attemptId } = held.attempt;
  const spent = takeToolCall(attemptId, deps.clock.nowMs());
  try {
    const judged = await judge(deps, held, params);
    if (spent === null) return await carryOut(deps, held.attempt, params.tool, judged);
    const { method, path } = judged;
    const over = refusal('rate_limited', spent, { method, path });
    return await carryOut(deps, held.attempt, params.tool, over);
  } finally {
    if (spent === null) toolCallEnded(attemptId);
  }
}

async function judge(
  deps: Pick<ToolDeps, 'redactor' | 'config' | 'toolNamed'>,
  { attempt, pullRequestUrl }: Held,
  params: CallParams<'tool.call'>,
): Promise<JudgedCall> {
  const where = { tracker: attempt.tracker, repositoryUrl: attempt.repository_url };
  const offered = attempt.spec.tools?.some(({ name }) => name === params.tool) === true;
  const { agent } = await deps.config.load();
  const isOn = agent.tools.some((name) => name === params.tool);
  const api = offered && isOn ? deps.toolNamed(params.tool, where) : null;
  if (api === null) return refusal('not_offered', 'This tool is not available here.');
  // Secrets are redacted before the text becomes Markdown, which would change how they look.
  return api.judge(deps.redactor.value(params.arguments), {
    ...where,
    issueId: attempt.issue_id,
    identifier: attempt.identifier,
    pullRequestUrl,
    readOnly: attempt.spec.readOnly === true,
  });
}

function refusal(code: string, message: string, about = { method: '', path: '' }): JudgedCall {
  return { verdict: 'refused', code, message, ...about };
}

async function carryOut(
  deps: Pick<Deps, 'db' | 'clock' | 'errors'>,
  attempt: AttemptRow,
  tool: string,
  judged: JudgedCall,
): Promise<CallValue<'tool.call'>> {
  const startMs = deps.clock.nowMs();
  const call = { tool, method: cutText(judged.method, 40), path: cutText(judged.path, 300) };
  const end = async (more: Omit<ToolCallRecord, keyof typeof call | 'durationMs'>) => {
    const nowMs = deps.clock.nowMs();
    const record = { ...call, ...more, durationMs: nowMs - startMs };
    await commitSteps(deps.db, toolCallEnds(deps.db, nowMs, attempt, record));
  };
  if (judged.verdict === 'refused') {
    const { code, message } = judged;
    await end({ outcome: 'refused', status: null, code, message });
    return { success: false, text: `Refused (${code}): ${message}` };
  }
  if (judged.mutates && !(await begin(deps, attempt, call))) {
    return { success: false, text: 'Refused (lease_lost): this attempt is over.' };
  }
  const answer = await perform(deps, attempt, judged);
  const outcome = answer.ok ? 'done' : 'failed';
  const message = answer.ok ? null : cutText(answer.text, 500);
  await end({ outcome, status: answer.status, code: null, message });
  return { success: answer.ok, text: readable(answer.text) };
}

/**
 * Records that a call is about to change something, if the lease still holds; false when it does
 * not.
 */
async function begin(
  deps: Pick<Deps, 'db' | 'clock'>,
  attempt: AttemptRow,
  call: Pick<ToolCallRecord, 'tool' | 'method' | 'path'>,
): Promise<boolean> {
  const { db, clock } = deps;
  const { epoch } = attempt;
  return commitChange(deps, {
    swap: updateAttempt(db, attempt, { epoch }, eq(attempts.status, 'running')),
    also: [toolCallBegins(db, clock.nowMs(), attempt, call)],
  });
}

async function perform(
  deps: Pick<Deps, 'errors'>,
  attempt: AttemptRow,
  judged: Extract<JudgedCall, { verdict: 'allowed' }>,
): Promise<AgentAnswer> {
  try {
    return await judged.perform(AbortSignal.timeout(PERFORM_TIMEOUT_MS));
  } catch (error) {
    deps.errors.capture(error, { operation: 'tool call', attemptId: attempt.attempt_id });
    return {
      ok: false,
      status: null,
      text: 'The call failed here; it is noted for the operators.',
    };
  }
}

/** The text without invisible characters, truncated to the limit of a tool's result. */
function readable(text: string): string {
  return cutText(visibleText(text), MAX_TOOL_ANSWER_CHARS, CUT);
}
