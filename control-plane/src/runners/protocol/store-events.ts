import { KIND_RULES } from '@switchyard/shared/attempts/kind-rules';
import { and, eq, isNull, not } from 'drizzle-orm';
import type { EventType } from '@switchyard/shared/api/event-type';
import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import { chainDigest } from '@switchyard/shared/protocol/extend-digest';
import { MAX_HELD } from '@switchyard/shared/protocol/limits';
import { cutText } from '@switchyard/shared/text/cut-text';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { wellFormedJson } from '@switchyard/shared/text/well-formed-json';
import { storeCheck } from '../../attempts/checks/store-check.ts';
import { storeArtifacts } from '../../attempts/evidence/store-artifacts.ts';
import { resolveRequests, storeRequest } from '../../attempts/rows/store-request.ts';
import { confirmSteers } from '../../attempts/rows/store-steers.ts';
import { updateAttempt } from '../../attempts/rows/update-attempt.ts';
import { commitSteps, expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import { insertCheckpoint } from '../../attempts/checkpoints/insert-checkpoint.ts';
import type { Statement } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import type { StoredEvent } from '../../db/schema/operation/events.ts';
import type { Deps } from '../../deps.ts';
import { appendEventTexts } from '../../observe/events/append-events.ts';
import { notifyAttemptAsked, notifyAttemptLaunched } from '../../notifications/notify-attempt.ts';
import { enqueueComment } from '../../jobs/queue/enqueue-effect.ts';
import type { BudgetView } from '../../usage/decide.ts';
import { usedOfBudget } from '../../usage/queries.ts';
import { recordUsage } from '../../usage/record-usage.ts';
import { costOf } from '../../usage/cost-of.ts';
import { liftByCanary } from '../../attempts/upstreams/pause-upstream.ts';
import { type LeaseRow } from '../session/lease-of-attempt.ts';
import { isForeignThread } from '../session/foreign-thread.ts';
import { type FoldedEvents, foldEvents, type FreshEvent } from './fold-events.ts';
import { type RunnerSession } from '../session/runner-session.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';

/** Characters of a question in its event; the row has the full text. */
const QUESTION_CHARS = 500;

/** What stored events have changed. */
type StoredEvents = {
  lastSeq: number;
  /** Questions were asked or settled. */
  changesRequests: boolean;
  /** Consumption of the attempt's budgets; left out when no usage was reported. */
  used?: BudgetView | undefined;
};

/** Stores the events of a frame under its lease; null on a conflict. Throws MalformedEvent. */
export async function storeEvents(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'hashText'>,
  session: RunnerSession,
  row: LeaseRow,
  items: readonly AttemptEventItem[],
): Promise<StoredEvents | null> {
  const fresh = items.map((item) => ({ ...item, payloadJson: JSON.stringify(item.payload) }));
  const folded = foldEvents(fresh.map(wellFormed), {
    attemptId: row.attempt_id,
    identifier: row.identifier,
    epoch: row.epoch,
  });
  const stored = {
    last_seq: row.last_seq + fresh.length,
    digest: chainDigest(row.digest, fresh, deps.hashText),
  };
  const steps = await storeSteps(deps, session, row, { folded, stored, fresh });
  const used =
    folded.patch.tokens === undefined ? [] : [usedOfBudget(deps.db, row, deps.clock.nowMs())];
  const results = await commitSteps(deps.db, [...steps, ...used]);
  if (results === null) return null;
  if (session.leases.size >= MAX_HELD) session.leases.clear();
  session.leases.set(row.attempt_id, { ...row, ...folded.patch, ...stored });
  return {
    lastSeq: stored.last_seq,
    changesRequests: folded.asked.length + folded.resolved.length > 0,
    used: used.length === 0 ? undefined : (results.at(-1) as BudgetView[])[0],
  };
}

type Storing = {
  folded: FoldedEvents;
  stored: { last_seq: number; digest: string };
  fresh: readonly FreshEvent[];
};

async function storeSteps(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config'>,
  session: RunnerSession,
  row: LeaseRow,
  { folded, stored, fresh }: Storing,
): Promise<Step[]> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const { thread_id: threadId } = folded.patch;
  const effects = requestStatements(deps, row, folded);
  const isHeld = and(
    eq(attempts.runner_id, session.runnerId),
    eq(attempts.status, 'running'),
    eq(attempts.last_seq, row.last_seq),
    isNull(attempts.released_at_ms),
    sessionIsCurrent(session),
    threadId === undefined ? undefined : not(isForeignThread(row, threadId)),
  );
  return [
    expectRowsAffected(updateAttempt(db, row, { ...folded.patch, ...stored }, isHeld)),
    ...appendEventTexts(db, nowMs, [...folded.stored, ...effects.events.map(jsonOf)], {
      attemptId: row.attempt_id,
      epoch: row.epoch,
      fromRunnerSeq: fresh[0]?.seq ?? null,
    }),
    ...effects.statements,
    ...(KIND_RULES[row.kind].isTry && row.phase !== 'streaming' && fresh.some(saysStreaming)
      ? notifyAttemptLaunched(db, nowMs, row)
      : []),
    ...(folded.patch.branch === undefined ? [] : [liftByCanary(db, row.attempt_id, 'codehost')]),
    ...(await usageStatements(deps, row, folded)),
    ...folded.checkpoints.map((reported) =>
      insertCheckpoint(db, { checkpointId: deps.ids.next('chk'), attempt: row, reported, nowMs }),
    ),
    ...[...folded.checks.values()].map((check) => storeCheck(db, row, check, nowMs)),
    ...(folded.artifacts === null ? [] : [storeArtifacts(db, row, folded.artifacts, nowMs)]),
  ];
}

/** Statements for reported usage, which also proves that the provider answers. */
async function usageStatements(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  row: LeaseRow,
  { patch, usageIsOwn, usageByModel }: FoldedEvents,
): Promise<Statement[]> {
  const threadId = patch.thread_id ?? row.thread_id;
  const ofThread = threadId === null ? null : { threadId };
  const source = usageIsOwn ? { attemptId: row.attempt_id, epoch: row.epoch } : ofThread;
  if (patch.tokens === undefined || source === null) return [];
  const config = await deps.config.load();
  return [
    ...recordUsage(deps.db, {
      tracker: row.tracker,
      issueId: row.issue_id,
      attemptId: row.attempt_id,
      source,
      model: row.model,
      tokens: patch.tokens,
      cost: costOf(config, row, { tokens: patch.tokens, byModel: usageByModel }),
      nowMs: deps.clock.nowMs(),
    }),
    liftByCanary(deps.db, row.attempt_id, 'provider'),
  ];
}

/** Statements for the questions, confirmations and delivered messages of a frame. */
function requestStatements(
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>,
  row: LeaseRow,
  folded: FoldedEvents,
): { statements: Statement[]; events: StoredEvent[] } {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const statements: Statement[] = [];
  const events: StoredEvent[] = [];
  for (const asked of folded.asked) {
    const requestId = deps.ids.next('req');
    statements.push(
      storeRequest(db, {
        request_id: requestId,
        attempt_id: row.attempt_id,
        epoch: row.epoch,
        identifier: row.identifier,
        engine_request_id: asked.engineRequestId,
        state: 'asked',
        questions: asked.questions,
        asked_at_ms: nowMs,
      }),
    );
    const question = asked.questions.map((each) => each.question).join(' ');
    const shown = { question: cutText(plainLine(question), QUESTION_CHARS, '…') };
    events.push(requestEvent(row, nowMs, 'request.asked', { requestId, ...shown }));
    statements.push(...notifyAttemptAsked(db, nowMs, row, { requestId, question }));
  }
  if (folded.resolved.length > 0) {
    statements.push(resolveRequests(db, row.attempt_id, folded.resolved));
    for (const requestId of folded.resolved)
      events.push(requestEvent(row, nowMs, 'request.resumed', { requestId }));
  }
  if (folded.delivered.length > 0) {
    const delivered = { attemptId: row.attempt_id, messageIds: folded.delivered };
    statements.push(confirmSteers(db, nowMs, delivered));
  }
  if (folded.asked.length + folded.resolved.length > 0) {
    const subject = { tracker: row.tracker, issueId: row.issue_id, attemptId: row.attempt_id };
    statements.push(enqueueComment(db, nowMs, subject));
  }
  return { statements, events };
}

/** The event in the form in which it is stored; the runner's digest covers what it sent. */
function wellFormed(item: FreshEvent): FreshEvent {
  const payloadJson = wellFormedJson(item.payloadJson);
  if (payloadJson === item.payloadJson) return item;
  return { ...item, payloadJson, payload: JSON.parse(payloadJson) as FreshEvent['payload'] };
}

function jsonOf(event: StoredEvent): string {
  return JSON.stringify(event);
}

function saysStreaming(item: FreshEvent): boolean {
  return item.kind === 'phase' && item.payload['phase'] === 'streaming';
}

function requestEvent(
  row: LeaseRow,
  nowMs: number,
  type: EventType,
  { requestId, ...more }: { requestId: string; question?: string },
): StoredEvent {
  return {
    type,
    atMs: nowMs,
    data: { requestId, attemptId: row.attempt_id, identifier: row.identifier, ...more },
  };
}
