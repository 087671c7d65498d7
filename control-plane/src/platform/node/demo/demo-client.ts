import { setTimeout as delay } from 'node:timers/promises';
import type { StreamEvent } from '@switchyard/shared/api/attempt';
import type { IssueDetail } from '@switchyard/shared/api/issue';
import type { PullRequest } from '@switchyard/shared/api/pull-request';
import type { Runner } from '@switchyard/shared/api/runner';

const POLL_MS = 150;

/** What the demo asks of the API, as any other client would. */
export function demoClient(url: string) {
  async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', 'X-Service-Source': 'CLI' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }
  return {
    addRoute: (route: { prefix: string; url: string }) =>
      request('POST', '/setup/repo-route', route),
    createIssue: (issue: {
      title: string;
      description: string;
      labels: string[];
      priority: number;
    }) => request<{ identifier: string }>('POST', '/local/issues', issue),
    issue: (identifier: string) => request<IssueDetail>('GET', `/${identifier}`),
    runners: async () => (await request<{ runners: Runner[] }>('GET', '/runners')).runners,
    pullRequests: async () =>
      (await request<{ pullRequests: PullRequest[] }>('GET', '/local/pull-requests')).pullRequests,
    attemptEvents: async (attemptId: string) =>
      (await request<{ events: StreamEvent[] }>('GET', `/attempts/${attemptId}?limit=500`)).events,
    /** Asks until `done` says so; throws after `timeoutMs`. */
    async until<T>(
      look: () => Promise<T>,
      done: (value: T) => boolean,
      timeoutMs: number,
      what: string,
    ): Promise<T> {
      const endMs = performance.now() + timeoutMs;
      for (;;) {
        const value = await look();
        if (done(value)) return value;
        if (performance.now() > endMs)
          throw new Error(`${what} took longer than ${timeoutMs / 1_000} s`);
        await delay(POLL_MS);
      }
    },
  };
}
