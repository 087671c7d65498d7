import type { Attempt, AttemptDetail, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { Issue, IssueDetail } from '@switchyard/shared/api/work/issue';
import type { LocalComment } from '@switchyard/shared/api/work/local-issue';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import type { Runner } from '@switchyard/shared/api/runner';
import { until } from './until.ts';

/** Also while an agent fills the disk of a slow machine. */
const REQUEST_TIMEOUT_MS = 60_000;
const ISSUE_TIMEOUT_MS = 60_000;
const EVENTS_PAGE = 500;
const SHOWN_OUTPUT_CHARS = 4_000;

export type Answer<T> = { status: number; headers: Headers; body: T };
export type AuditEntry = {
  operation: string;
  subject: string | null;
  actor: string;
  source: string;
  requestId: string | null;
};

/** What the tests ask of a running service, through HTTP alone. */
export class ServiceClient {
  readonly url: string;
  readonly #output: () => string;
  readonly #token: string | undefined;

  /**
   * `output`: what the service wrote, for the message of a wait that was in vain; `token`: for a
   * service that does not take this for its own machine.
   */
  constructor(url: string, output: () => string, token?: string) {
    this.url = url;
    this.#output = output;
    this.#token = token;
  }

  /** Any request; the body is parsed when it is JSON and a text otherwise. */
  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.body = typeof body === 'string' ? body : JSON.stringify(body);
      init.headers = { 'content-type': 'application/json' };
    }
    return this.send<T>(path, init);
  }

  async send<T = unknown>(path: string, init: RequestInit): Promise<Answer<T>> {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const headers = new Headers(init.headers);
    if (this.#token !== undefined && !headers.has('authorization'))
      headers.set('authorization', `Bearer ${this.#token}`);
    // Some servers end idle connections without a hint, and a request that meets that fails.
    headers.set('connection', 'close');
    const response = await fetch(`${this.url}${path}`, { ...init, headers, signal });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const { status, headers: answered } = response;
    return { status, headers: answered, body: (isJson ? JSON.parse(text) : text) as T };
  }

  /** A request that must succeed; throws with the answer otherwise. */
  async must<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask<T>(method, `/api/v1${path}`, body);
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  createIssue(issue: { title: string } & Record<string, unknown>): Promise<Issue> {
    return this.must('POST', '/local/issues', issue);
  }

  issue(identifier: string): Promise<IssueDetail> {
    return this.must('GET', `/${identifier}`);
  }

  attempt(attemptId: string): Promise<AttemptDetail> {
    return this.must('GET', `/attempts/${attemptId}?limit=${EVENTS_PAGE}`);
  }

  async comments(identifier: string): Promise<LocalComment[]> {
    const path = `/local/issues/${identifier}/comments`;
    return (await this.must<{ comments: LocalComment[] }>('GET', path)).comments;
  }

  comment(identifier: string, body: string): Promise<LocalComment> {
    return this.must('POST', `/local/issues/${identifier}/comments`, { body });
  }

  async requests(): Promise<HumanRequest[]> {
    return (await this.must<{ requests: HumanRequest[] }>('GET', '/requests')).requests;
  }

  async runners(): Promise<Runner[]> {
    return (await this.must<{ runners: Runner[] }>('GET', '/runners')).runners;
  }

  async audit(): Promise<AuditEntry[]> {
    return (await this.must<{ entries: AuditEntry[] }>('GET', '/audit?limit=1000')).entries;
  }

  /** The newest pull request of an issue. Throws when it has none. */
  async pullRequestOf(identifier: string): Promise<PullRequest> {
    const path = '/local/pull-requests?limit=500';
    const all = (await this.must<{ pullRequests: PullRequest[] }>('GET', path)).pullRequests;
    const found = all.find((one) => one.issueIdentifier === identifier);
    if (found === undefined) throw new Error(`${identifier} has no pull request`);
    return found;
  }

  /** Waits until the issue is as wanted. */
  issueUntil(
    identifier: string,
    done: (issue: IssueDetail) => boolean,
    what: string,
    timeoutMs = ISSUE_TIMEOUT_MS,
  ): Promise<IssueDetail> {
    const options = { what: `${identifier} ${what}`, timeoutMs };
    return until(() => this.issue(identifier), done, options).catch((error: unknown) => {
      const tail = this.#output().slice(-SHOWN_OUTPUT_CHARS);
      throw new Error(`${String(error)}\nthe service wrote:\n${tail}`, { cause: error });
    });
  }

  /** Waits for one of the statuses in which an issue rests. */
  settled(identifier: string, timeoutMs = ISSUE_TIMEOUT_MS): Promise<IssueDetail> {
    const resting = new Set(['completed', 'failed', 'blocked', 'cancelled']);
    return this.issueUntil(identifier, ({ status }) => resting.has(status), 'settles', timeoutMs);
  }

  /** Waits until the agent has begun a command, and answers its attempt. */
  async commandRunning(identifier: string, timeoutMs = ISSUE_TIMEOUT_MS): Promise<Attempt> {
    const issue = await this.issueUntil(
      identifier,
      ({ recentEvents }) => recentEvents.some(isCommandStart),
      'runs a command',
      timeoutMs,
    );
    const attempt = issue.attempts[0];
    if (attempt === undefined) throw new Error(`${identifier} has no attempt`);
    return attempt;
  }
}

function isCommandStart({ data }: StreamEvent): boolean {
  return data['kind'] === 'item' && JSON.stringify(data['payload']).includes('"command"');
}
