import { randomUUID } from 'node:crypto';
import {
  type CommentPlace,
  type FakeActivity,
  type FakeComment,
  type FakeContent,
  type FakeEvent,
  type FakeIssue,
  type FakePerson,
  type FakeSession,
  inputError,
  notFound,
} from './linear-rows.ts';

/** The workspace, as far as sessions touch it. */
type Host = {
  readonly me: FakePerson;
  nowMs(): number;
  issue(id: string): FakeIssue;
  change(id: string, changes: Partial<FakeIssue>, by: FakePerson): FakeIssue;
  say(issueId: string, body: string, by: FakePerson, place?: CommentPlace): FakeComment;
  tell: (event: FakeEvent) => void;
};

type ActivityInput = {
  id?: string;
  agentSessionId: string;
  content: FakeContent;
  ephemeral?: boolean;
  signal?: string;
  signalMetadata?: { options?: unknown[] };
};

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** What each type of activity is made of; the first fields are demanded. */
const FIELDS: Record<string, { demanded: string[]; allowed: string[] }> = {
  thought: { demanded: ['body'], allowed: [] },
  elicitation: { demanded: ['body'], allowed: [] },
  response: { demanded: ['body'], allowed: [] },
  error: { demanded: ['body'], allowed: ['reasonCode'] },
  action: { demanded: ['action', 'parameter'], allowed: ['result'] },
};
const STATUS: Record<string, string> = {
  thought: 'active',
  action: 'active',
  prompt: 'active',
  elicitation: 'awaitingInput',
  response: 'complete',
  error: 'error',
};

/** Agent sessions as people and the agent see them; every activity has an id for ever. */
export class FakeAgentSessions {
  readonly all: FakeSession[] = [];
  readonly #world: Host;

  constructor(world: Host) {
    this.#world = world;
  }

  /** A person delegates an issue to the app: Linear itself writes the root of the thread. */
  delegate(issueId: string, by: FakePerson): FakeSession {
    const world = this.#world;
    world.change(issueId, { delegate: world.me }, by);
    const body = 'This thread is for an agent session with switchyard.';
    const root = { id: randomUUID(), issueId, body, user: null, parentId: null };
    return this.#open(issueId, by, { ...root, createdAtMs: world.nowMs() });
  }

  /** A person mentions the app in a comment. */
  mention(issueId: string, body: string, by: FakePerson): FakeSession {
    return this.#open(issueId, by, this.#world.say(issueId, body, by));
  }

  /** A person writes in the thread of a session, or presses its stop button. */
  prompt(session: FakeSession, body: string, by: FakePerson, signal?: 'stop'): FakeActivity {
    const world = this.#world;
    const parentId = session.comment.id;
    const comment =
      signal === undefined ? world.say(session.issueId, body, by, { parentId }) : null;
    const activity = {
      id: randomUUID(),
      sessionId: session.id,
      ephemeral: false,
      user: by,
      content: { type: 'prompt', body },
      signal: signal ?? null,
      signalMetadata: null,
      sourceCommentId: comment?.id ?? null,
      atMs: world.nowMs(),
    };
    session.activities.push(activity);
    this.#tell(session, 'prompted', by, activity);
    return activity;
  }

  session(id: string): FakeSession {
    const found = this.all.find((one) => one.id === id);
    if (found === undefined || found.dismissed) throw notFound('AgentSession');
    return found;
  }

  activity(id: string): FakeActivity {
    const found = this.all.flatMap(({ activities }) => activities).find((one) => one.id === id);
    if (found === undefined) throw notFound('AgentActivity');
    return found;
  }

  /** What people see: passing activities go with the next one. */
  shown({ activities }: FakeSession): FakeActivity[] {
    return activities.filter((one, at) => !one.ephemeral || at === activities.length - 1);
  }

  statusOf(session: FakeSession): string {
    const last = session.activities.at(-1);
    return last === undefined ? 'pending' : (STATUS[last.content.type] ?? 'active');
  }

  /** The agent says something; refused like by Linear where it is not made as demanded. */
  create(input: ActivityInput, user: FakePerson): FakeActivity {
    const session = this.session(input.agentSessionId);
    const { id = randomUUID(), content, ephemeral = false, signal = null } = input;
    if (!UUID_V4.test(id)) throw inputError('id must be a UUID of version 4');
    const used = this.all.some(({ activities }) => activities.some((one) => one.id === id));
    if (used) throw inputError('Entity AgentActivity already exists');
    requireContent(content);
    const passes = content.type === 'thought' || content.type === 'action';
    if (ephemeral && !passes) throw inputError('only thoughts and actions may be ephemeral');
    if (signal !== null && signal !== 'select') throw inputError(`no signal ${signal} by agents`);
    if (signal === 'select' && !Array.isArray(input.signalMetadata?.options)) {
      throw inputError('select needs options');
    }
    const activity = {
      id,
      sessionId: session.id,
      content,
      ephemeral,
      signal,
      user,
      signalMetadata: input.signalMetadata ?? null,
      sourceCommentId: null,
      atMs: this.#world.nowMs(),
    };
    session.activities.push(activity);
    session.answeredAtMs ??= activity.atMs;
    // What an agent says for good is a comment in the thread, too.
    if (!passes) {
      const { issueId, comment } = session;
      this.#world.say(issueId, String(content['body']), user, { parentId: comment.id });
    }
    return activity;
  }

  link(id: string, externalUrls: { label: string; url: string }[]): FakeSession {
    const session = this.session(id);
    session.externalUrls = externalUrls;
    session.answeredAtMs ??= this.#world.nowMs();
    return session;
  }

  #open(issueId: string, creator: FakePerson, comment: FakeComment): FakeSession {
    const session: FakeSession = {
      id: randomUUID(),
      issueId,
      creator,
      comment,
      createdAtMs: this.#world.nowMs(),
      externalUrls: [],
      answeredAtMs: null,
      activities: [],
      dismissed: false,
    };
    this.all.push(session);
    this.#tell(session, 'created', creator);
    return session;
  }

  #tell(
    session: FakeSession,
    action: 'created' | 'prompted',
    actor: FakePerson,
    activity?: FakeActivity,
  ): void {
    const issue = this.#world.issue(session.issueId);
    const about = { session, ...(activity === undefined ? {} : { activity }) };
    this.#world.tell({ type: 'AgentSessionEvent', action, issue, actor, ...about });
  }
}

function requireContent({ type, ...fields }: FakeContent): void {
  const known = FIELDS[type];
  if (known === undefined) throw inputError(`agents have no activity of type ${type}`);
  for (const field of known.demanded) {
    if (typeof fields[field] !== 'string' || fields[field] === '') {
      throw inputError(`${type} needs ${field}`);
    }
  }
  const strange = Object.keys(fields).filter(
    (field) => !known.demanded.includes(field) && !known.allowed.includes(field),
  );
  if (strange.length > 0) throw inputError(`${type} knows no ${strange.join(', ')}`);
}
