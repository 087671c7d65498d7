import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';

export type FakePerson = { id: string; name: string; email: string; isMe: boolean };
export type FakeState = { id: string; name: string; type: string };
export type FakeLabel = { id: string; name: string };
export type FakeComment = {
  id: string;
  issueId: string;
  body: string;
  user: FakePerson;
  createdAtMs: number;
};
export type FakeIssue = {
  id: string;
  number: number;
  title: string;
  description: string | null;
  priority: number;
  stateId: string;
  labelIds: string[];
  /** Ids of issues that block it. */
  blockedBy: string[];
  assignee: FakePerson | null;
  creator: FakePerson;
  projectSlug: string | null;
  archived: boolean;
  createdAtMs: number;
  updatedAtMs: number;
};
export type FakeWebhook = { id: string; url: string; secret: string; enabled: boolean };
/** Something that happened, as webhooks tell of it. */
export type FakeEvent = {
  type: 'Issue' | 'Comment';
  action: 'create' | 'update' | 'remove';
  issue: FakeIssue;
  comment?: FakeComment;
  actor: FakePerson;
  updatedFrom?: Record<string, unknown>;
};

const STATES: readonly [string, string][] = [
  ['Backlog', 'backlog'],
  ['Todo', 'unstarted'],
  ['In Progress', 'started'],
  ['In Review', 'started'],
  ['Done', 'completed'],
  ['Canceled', 'canceled'],
  ['Duplicate', 'duplicate'],
];
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

/** One team with everything in memory; `tell` hears of each change. */
export class LinearWorkspace {
  readonly teamId = randomUUID();
  readonly teamKey = 'ENG';
  readonly states: FakeState[] = STATES.map(([name, type]) => ({ id: randomUUID(), name, type }));
  readonly labels: FakeLabel[] = [];
  readonly issues = new Map<string, FakeIssue>();
  readonly comments: FakeComment[] = [];
  readonly attachments: { id: string; issueId: string; url: string; title: string }[] = [];
  readonly webhooks: FakeWebhook[] = [];
  readonly me: FakePerson = person('Switchyard', true);
  readonly ada: FakePerson = person('Ada', false);
  tell: (event: FakeEvent) => void = () => {};
  #lastMs = START_MS;
  /** An id is never free again, also after a deletion. */
  readonly #commentIds = new Set<string>();

  /** Present time, but never twice the same: each change is later than the one before. */
  nowMs(): number {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    return this.#lastMs;
  }

  issue(id: string): FakeIssue {
    const found =
      this.issues.get(id) ?? [...this.issues.values()].find((one) => this.identifier(one) === id);
    if (found === undefined) throw notFound('Issue');
    return found;
  }

  identifier(issue: FakeIssue): string {
    return `${this.teamKey}-${issue.number}`;
  }

  state(id: string): FakeState {
    const found = this.states.find((state) => state.id === id);
    if (found === undefined) throw notFound('WorkflowState');
    return found;
  }

  stateNamed(name: string): FakeState {
    const found = this.states.find((state) => state.name === name);
    if (found === undefined) throw new Error(`the fake has no state ${name}`);
    return found;
  }

  labelNamed(name: string): FakeLabel {
    const found = this.labels.find((label) => label.name === name);
    if (found !== undefined) return found;
    const made = { id: randomUUID(), name };
    this.labels.push(made);
    return made;
  }

  add(input: Partial<FakeIssue> & { title: string }, actor: FakePerson): FakeIssue {
    const nowMs = this.nowMs();
    const issue: FakeIssue = {
      id: randomUUID(),
      number: this.issues.size + 1,
      description: null,
      priority: 0,
      stateId: this.stateNamed('Backlog').id,
      labelIds: [],
      blockedBy: [],
      assignee: null,
      creator: actor,
      projectSlug: null,
      archived: false,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      ...input,
    };
    this.issues.set(issue.id, issue);
    this.tell({ type: 'Issue', action: 'create', issue, actor });
    return issue;
  }

  change(id: string, changes: Partial<FakeIssue>, actor: FakePerson): FakeIssue {
    const issue = this.issue(id);
    const updatedFrom = Object.fromEntries(
      Object.keys(changes).map((key) => [key, issue[key as keyof FakeIssue]]),
    );
    Object.assign(issue, changes, { updatedAtMs: this.nowMs() });
    this.tell({ type: 'Issue', action: 'update', issue, actor, updatedFrom });
    return issue;
  }

  say(issueId: string, body: string, actor: FakePerson, id: string = randomUUID()): FakeComment {
    const issue = this.issue(issueId);
    if (this.#commentIds.has(id)) throw inputError('Duplicate id');
    this.#commentIds.add(id);
    const comment = { id, issueId: issue.id, body, user: actor, createdAtMs: this.nowMs() };
    this.comments.push(comment);
    this.tell({ type: 'Comment', action: 'create', issue, comment, actor });
    return comment;
  }
}

function person(name: string, isMe: boolean): FakePerson {
  return { id: randomUUID(), name, email: `${name.toLowerCase()}@example.com`, isMe };
}

/** Refusals as Linear words them. */
export function notFound(entity: string): GraphQLError {
  return inputError(`Entity not found: ${entity} - Could not find referenced ${entity}.`);
}

function inputError(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'INPUT_ERROR', type: 'invalid input', userPresentableMessage: message },
  });
}
