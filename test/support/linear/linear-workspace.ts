import { randomUUID } from 'node:crypto';
import { FakeAgentSessions } from './fake-agent-sessions.ts';
import {
  type CommentPlace,
  type FakeComment,
  type FakeEvent,
  type FakeIssue,
  type FakeLabel,
  type FakePerson,
  type FakeState,
  type FakeWebhook,
  inputError,
  notFound,
} from './linear-rows.ts';

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
  readonly sessions = new FakeAgentSessions(this);
  readonly me: FakePerson = { ...person('Switchyard'), isMe: true };
  readonly ada: FakePerson = person('Ada');
  tell: (event: FakeEvent) => void = () => {};
  /** Moves change nothing: it says so, or answers as if they had. */
  ignoresMoves: 'openly' | 'silently' | null = null;
  /** What it takes for the present time. */
  time: () => number = () => Date.now();
  #lastMs = START_MS;
  /** An id is never free again, also after a deletion. */
  readonly #commentIds = new Set<string>();

  /** Present time, but never twice the same: each change is later than the one before. */
  nowMs(): number {
    this.#lastMs = Math.max(this.time(), this.#lastMs + 1);
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
      delegate: null,
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

  say(
    issueId: string,
    body: string,
    actor: FakePerson,
    { id = randomUUID(), parentId = null }: CommentPlace = {},
  ): FakeComment {
    const issue = this.issue(issueId);
    if (this.#commentIds.has(id)) throw inputError('Duplicate id');
    this.#commentIds.add(id);
    const written = { user: actor, parentId, createdAtMs: this.nowMs() };
    const comment = { id, issueId: issue.id, body, ...written };
    this.comments.push(comment);
    this.tell({ type: 'Comment', action: 'create', issue, comment, actor });
    return comment;
  }
}

function person(name: string): FakePerson {
  return { id: randomUUID(), name, email: `${name.toLowerCase()}@example.com`, isMe: false };
}
