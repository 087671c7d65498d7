import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { Database } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { CheckpointRow } from '../../db/schema/work/checkpoints.ts';
import { requests } from '../../db/schema/work/requests.ts';
import { recentAttemptEvents } from '../../observe/events/queries.ts';
import { attemptsOfIssue } from '../queries.ts';
import type { HandOver } from '../prompt/hand-over.ts';
import { isProviderCode } from './is-provider-code.ts';

/** Newest events of an attempt that are read. */
const MAX_EVENTS = 400;
const MAX_QUESTIONS = 10;
const MAX_ATTEMPTS = 10;

/**
 * What the next agent is told about the previous attempt, from stored rows. If that attempt's model
 * never answered, the newest attempt whose model did is described instead.
 */
export async function handOverFacts(
  db: Database,
  before: AttemptRow,
  checkpoint: CheckpointRow | null,
): Promise<HandOver> {
  const issue = { tracker: before.tracker, id: before.issue_id };
  const earlier = before.tokens.total > 0 ? [] : await attemptsOfIssue(db, issue, MAX_ATTEMPTS);
  const worked = earlier.find(({ tokens }) => tokens.total > 0) ?? before;
  const [events, asked] = await Promise.all([
    recentAttemptEvents(db, worked.attempt_id, MAX_EVENTS),
    db
      .select({ questions: requests.questions })
      .from(requests)
      .where(
        and(
          eq(requests.attempt_id, worked.attempt_id),
          inArray(requests.state, ['asked', 'expired']),
          isNull(requests.plan),
        ),
      )
      .orderBy(asc(requests.asked_at_ms))
      .limit(MAX_QUESTIONS),
  ]);
  const items = events.map(({ data }) => endedItem(data)).filter((item) => item !== null);
  const last = (type: string) => items.findLast((item) => item['type'] === type);
  return {
    from: { engine: engineName(worked.engine), model: worked.model },
    why: whyOther(before),
    branch: before.branch ?? worked.branch,
    diffStat: checkpoint?.diff_stat ?? worked.diff_stat,
    plan: textOf(last('plan')),
    commands: items
      .filter((item) => item['type'] === 'command')
      .map((item) => ({
        command: stringOf(item['command']),
        exitCode: numberOf(item['exitCode']),
      })),
    questions: asked.flatMap(({ questions }) => questions.map(({ question }) => question)),
    lastMessage: textOf(last('message')),
  };
}

function whyOther({ reason_code: code }: AttemptRow): string {
  if (code !== null && isProviderCode(code)) return REASON_CATALOGUE[code].cause;
  return 'You are the agent that the settings choose for this issue now.';
}

/**
 * The engine's item in an event that reports it as completed, not cut off; null for any other
 * event.
 */
function endedItem(data: Record<string, unknown>): Record<string, unknown> | null {
  const { kind, payload } = data;
  if (kind !== 'item' || !isRecord(payload) || payload['state'] !== 'ended') return null;
  const { item } = payload;
  return isRecord(item) && item['status'] !== 'interrupted' ? item : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(item: Record<string, unknown> | undefined): string | null {
  return item === undefined ? null : stringOf(item['text']);
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
