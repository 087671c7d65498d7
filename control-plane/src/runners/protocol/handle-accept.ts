import { KIND_RULES } from '@switchyard/shared/attempts/kind-rules';
import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { mayHaveIssue, wantedRunnerLabels } from '@switchyard/shared/protocol/runner-labels';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { type Change, commitChange } from '../../observe/events/commit-change.ts';
import { updateAttempt } from '../../attempts/rows/update-attempt.ts';
import { updateIssue } from '../../db/rows/update-issue.ts';
import { expectRowsAffected } from '../../db/commit-steps.ts';
import { requeueAttemptSteps } from '../../attempts/requeue-attempt-steps.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { providerOfAccount } from '../../config/provider/engine-choice.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Bound, Deps } from '../../deps.ts';
import { nobodyElseLeads } from '../../jobs/leadership/leads-now.ts';
import { enqueueComment, enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { attemptIssueAndRunner } from '../queries.ts';
import { refuseClaim } from '../session/refuse-claim.ts';
import type { sealSecretsFor } from '../session/seal-secrets.ts';
import { type Replies, retryableError, type RunnerSession } from '../session/runner-session.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';
import { sha256Hex } from '../../sha256-hex.ts';

/**
 * Handles `accept`: the first one starts the attempt and renews the runner's lease in the same
 * batch; a repeated one gets the same answer with a new upload token.
 */
export async function handleAccept(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'service'> & {
    sealSecretsFor: Bound<typeof sealSecretsFor>;
  },
  session: RunnerSession,
  message: RunnerMessageOf<'accept'>,
): Promise<Replies> {
  const found = await attemptIssueAndRunner(deps.db, message.attemptId, session.runnerId);
  if (found === null) return [await refuseClaim(deps, session, message)];
  const { attempt, issue, runner } = found;
  const isOwn = attempt.epoch === message.epoch && attempt.runner_id === session.runnerId;
  const fresh = attempt.status === 'queued';
  if (!isOwn || attempt.released_at_ms !== null || (!fresh && attempt.status !== 'running')) {
    return [await refuseClaim(deps, session, message)];
  }
  // A process with a duplicate identity may run the attempt under the same lease, since a copied
  // disk contains accepted offers.
  if (!fresh && (runner.twin_until_ms ?? 0) > deps.clock.nowMs()) {
    const reason = 'another process seems to use this identity; try again';
    return [retryableError('CONFLICT', reason, { attemptId: attempt.attempt_id })];
  }
  const stale = fresh ? await whyStale(deps, found) : null;
  if (stale !== null) {
    await offerAgain(deps, session, attempt, stale);
    return [await refuseClaim(deps, session, message)];
  }
  const token = deps.ids.secret();
  const tokenHash = await sha256Hex(token);
  // The secrets are sealed during the commit but sent only after it.
  const [sealed, committed] = await Promise.all([
    deps.sealSecretsFor(runner, {
      provider: KIND_RULES[attempt.kind].hasAgent ? providerOf(attempt) : null,
      granted: attempt.spec.sandbox.secrets,
    }),
    commitChange(deps, acceptance(deps, session, { attempt, issue, tokenHash })),
  ]);
  if (!committed) return [await refuseClaim(deps, session, message)];
  return [
    {
      type: 'granted',
      attemptId: attempt.attempt_id,
      epoch: attempt.epoch,
      ref: message.ref,
      ttlMs: deps.service.leaseTimes.ttlMs,
      attemptToken: token,
      ...(sealed === null ? {} : { sealedSecrets: sealed }),
    },
  ];
}

function providerOf({ spec: { engine } }: AttemptRow) {
  return { baseUrl: engine.provider.baseUrl, account: engine.account };
}

/** Why an accepted offer is outdated, for people; null when it is still valid. */
async function whyStale(
  deps: Pick<Deps, 'config'>,
  { attempt, issue, runner }: NonNullable<Awaited<ReturnType<typeof attemptIssueAndRunner>>>,
): Promise<{ reason: string; code: ReasonCode } | null> {
  const { account, provider, model } = attempt.spec.engine;
  const now = providerOfAccount(await deps.config.load(), account);
  // An attempt that began with the trial's scripted model ends with it.
  const staysOnTrial = isScriptedModel(model) && attempt.thread_id !== null;
  const { hasAgent } = KIND_RULES[attempt.kind];
  if (now?.baseUrl !== provider.baseUrl && !staysOnTrial && hasAgent) {
    const reason = 'waiting for a runner (the model provider was changed meanwhile)';
    return { reason, code: 'settings_changed' };
  }
  if (mayHaveIssue(runner.labels, issue.labels)) return null;
  const reason = `waiting for a runner with the label ${wantedRunnerLabels(issue.labels).join(', ')}`;
  return { reason, code: 'runner_label_missing' };
}

/** Withdraws an outdated offer; the next one uses the present configuration and labels. */
async function offerAgain(
  deps: Pick<Deps, 'db' | 'clock'>,
  session: RunnerSession,
  attempt: AttemptRow,
  why: { reason: string; code: ReasonCode },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const onlyIf = sessionIsCurrent(session);
  const steps = requeueAttemptSteps(deps.db, { attempt, ...why, lost: false, nowMs, onlyIf });
  // After a concurrent change the claim is refused by the new row.
  await commitChange(deps, { also: steps, nowMs });
}

function acceptance(
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  session: RunnerSession,
  input: { attempt: AttemptRow; issue: IssueRow; tokenHash: string },
): Change {
  const { db } = deps;
  const { attempt, issue } = input;
  const nowMs = deps.clock.nowMs();
  const { identifier, id: issueId, tracker } = issue;
  const { attempt_id: attemptId, number } = attempt;
  const subject = { tracker, issueId, attemptId };
  const isOffered = and(
    eq(attempts.runner_id, session.runnerId),
    eq(attempts.status, attempt.status),
    isNull(attempts.released_at_ms),
  );
  const renewal = expectRowsAffected(
    db
      .update(runners)
      .set({ lease_until_ms: nowMs + deps.service.leaseTimes.ttlMs, last_seen_at_ms: nowMs })
      .where(
        and(
          eq(runners.runner_id, session.runnerId),
          sessionIsCurrent(session),
          nobodyElseLeads(deps),
        ),
      ),
  );
  const token = { attempt_token_hash: input.tokenHash };
  const { hasAgent, isTry } = KIND_RULES[attempt.kind];
  if (attempt.status === 'running') {
    return { swap: updateAttempt(db, attempt, token, isOffered), also: [renewal] };
  }
  const started = {
    ...token,
    status: 'running',
    phase: 'leased',
    started_at_ms: sql`coalesce(${attempts.started_at_ms}, ${nowMs})`,
    granted_at_ms: nowMs,
    offer_expires_at_ms: null,
  } as const;
  return {
    swap: updateAttempt(db, attempt, started, isOffered),
    also: [
      renewal,
      updateIssue(db, issue, {
        status: 'running',
        reason: null,
        reason_code: null,
        next_retry_at_ms: null,
        queued_since_ms: null,
        ...(hasAgent ? { unattended_runs: sql`${issues.unattended_runs} + 1` } : {}),
      }),
      ...(isTry
        ? [
            enqueueEffect(db, nowMs, {
              key: `${attemptId}:started`,
              effect: { kind: 'tracker.transition', role: 'started' },
              subject,
              repeat: false,
            }),
          ]
        : []),
      enqueueComment(db, nowMs, subject),
    ],
    events: [
      {
        type: isTry ? 'issue.started' : 'issue.updated',
        data: { identifier, issueId, attemptId, number, status: 'running' },
      },
      { type: 'attempt.phase', data: { attemptId, identifier, phase: 'leased' } },
    ],
    nowMs,
  };
}
