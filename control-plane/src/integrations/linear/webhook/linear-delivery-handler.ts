import { cutText } from '@switchyard/shared/text/cut-text';
import { z } from 'zod';
import type { DeliveryHandler, DeliveryResult } from '../../../ports/ports.ts';
import type { NewComment } from '../../../ports/tracker/tracker.ts';
import { isApp } from '../api/is-app.ts';
import { acceptedComment, mayInstruct } from '../comments/accepted-comment.ts';
import type { LinearScope } from '../linear-settings.ts';
import type { SessionEvent } from '../../../ports/tracker/agent-sessions.ts';
import { readSessionEvent } from './read-session-event.ts';

const Id = z.string().min(1).max(200);
const Person = z.looseObject({
  id: Id,
  name: z.string().nullish(),
  email: z.string().nullish(),
});
const IssueBody = z.looseObject({ action: z.string(), data: z.looseObject({ id: Id }) });
const CommentBody = z.looseObject({
  action: z.string(),
  data: z.looseObject({
    id: Id,
    body: z.string(),
    issueId: Id.nullish(),
    parentId: Id.nullish().catch(null),
    issue: z.looseObject({ id: Id }).nullish(),
    user: Person.nullish(),
    botActor: z.looseObject({}).nullish(),
    createdAt: z.iso.datetime({ offset: true }).nullish().catch(null),
  }),
});

type HandlerDeps = {
  /** Reads these issues from Linear and stores their current state. */
  sync: (issueIds: readonly string[]) => Promise<unknown>;
  hear: (comment: Omit<NewComment, 'place'>) => Promise<void>;
  /** Whether a comment belongs to an agent session, which handles it itself. */
  isInSession: (place: NonNullable<NewComment['place']>) => Promise<boolean>;
  handleInSession: (event: SessionEvent & { isAllowed: boolean }) => Promise<void>;
  scope: () => LinearScope;
};

/**
 * Handles Linear's webhooks. A webhook about an issue is only a hint to sync it, so its order and
 * number do not matter. Webhooks of one batch share one sync.
 */
export function createLinearDeliveryHandler(deps: HandlerDeps): Pick<DeliveryHandler, 'handle'> {
  const syncOnce = together(deps.sync);
  return {
    async handle({ event, body }) {
      const kind = event.split('.')[0];
      const json: unknown = JSON.parse(body);
      if (kind === 'Issue') return aboutIssue(json, syncOnce);
      if (kind === 'Comment') return aboutComment(deps, json);
      if (isSessionEvent(event)) return aboutSession(deps, json);
      return { outcome: 'ignored' };
    },
  };
}

/** Whether a person watches the effect of this event. */
export function isSessionEvent(event: string): boolean {
  return event.split('.')[0] === 'AgentSessionEvent';
}

async function aboutSession(deps: HandlerDeps, json: unknown): Promise<DeliveryResult> {
  const event = readSessionEvent(json);
  if (event === 'malformed') return { outcome: 'refused', reason: 'no agent session event' };
  if (event === null) return { outcome: 'ignored' };
  const { person } = event;
  const { allowedAuthors = [] } = deps.scope();
  const isAllowed =
    person === null ? allowedAuthors.length === 0 : mayInstruct(person, deps.scope());
  // An app could answer each answer and never stop.
  if (person !== null && !isAllowed && isApp(person)) return { outcome: 'ignored' };
  await deps.handleInSession({ ...event, isAllowed });
  return { outcome: 'processed' };
}

async function aboutIssue(
  json: unknown,
  syncIssue: (id: string) => Promise<void>,
): Promise<DeliveryResult> {
  const parsed = IssueBody.safeParse(json);
  if (!parsed.success) return refused(parsed.error);
  await syncIssue(parsed.data.data.id);
  return { outcome: 'processed' };
}

async function aboutComment(deps: HandlerDeps, json: unknown): Promise<DeliveryResult> {
  const parsed = CommentBody.safeParse(json);
  if (!parsed.success) return refused(parsed.error);
  const { action, data } = parsed.data;
  const issueId = data.issueId ?? data.issue?.id;
  // Edited and deleted comments were handled before, and comments of apps do not count.
  if (action !== 'create' || !issueId || !data.user || data.botActor) {
    return { outcome: 'ignored' };
  }
  const accepted = await acceptedComment(
    {
      id: data.id,
      body: data.body,
      issueId,
      user: data.user,
      parentId: data.parentId ?? null,
      createdAtMs: data.createdAt ? Date.parse(data.createdAt) : null,
    },
    deps.scope(),
  );
  if (accepted === null) return { outcome: 'ignored' };
  const { place, ...comment } = accepted;
  if (place !== null && (await deps.isInSession(place))) return { outcome: 'ignored' };
  await deps.hear(comment);
  return { outcome: 'processed' };
}

function refused(error: z.ZodError): DeliveryResult {
  return { outcome: 'refused', reason: cutText(z.prettifyError(error), 500) };
}

/** Microtask steps to wait for further webhooks of the same batch. */
const STEPS = 16;

/** Collects the ids of a few microtask steps into one sync; a timer would delay a single id. */
function together(sync: HandlerDeps['sync']): (id: string) => Promise<void> {
  let waiting: { ids: Set<string>; done: Promise<unknown> } | null = null;
  async function ask(ids: ReadonlySet<string>): Promise<unknown> {
    for (let step = 0; step < STEPS; step += 1) await Promise.resolve();
    waiting = null;
    return sync([...ids]);
  }
  return async (id) => {
    if (waiting === null) {
      const ids = new Set<string>();
      waiting = { ids, done: ask(ids) };
    }
    waiting.ids.add(id);
    await waiting.done;
  };
}
