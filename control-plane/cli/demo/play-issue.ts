import { setTimeout as delay } from 'node:timers/promises';
import { commandText } from '@switchyard/shared/text/command-text';
import { deferred } from '@switchyard/shared/deferred';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { AttemptDetail, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Runner } from '@switchyard/shared/api/runner';
import { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { followEvents } from '../client/follow-events.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { failingTestIssue, reportFolder } from '../../scripted-provider/failing-test-project.ts';

/** Without any event for this long, something is stuck, also on a slow machine. */
const MAX_IDLE_MS = 300_000;
/** Events within this time are handled together, by one check of their effects. */
const SETTLE_MS = 250;
const PREFIX = 'SY-';
const ENDED = new Set(['completed', 'failed', 'blocked', 'cancelled']);

/** The result of a demo for programs. */
export type DemoResult = {
  issue: { identifier: string; title: string; status: string; reason: string | null };
  attempts: {
    attemptId: string;
    number: number;
    outcome: string | null;
    failureKind: string | null;
    errorMessage?: string;
  }[];
  pullRequest:
    | ({ id: string } & Pick<PullRequest, 'url' | 'branch' | 'commitSha' | 'diffStat'>)
    | null;
  events: number;
  /** Isolation of the attempt: `docker` or `process`. */
  sandbox: string | null;
  engineVersion: string | null;
  durationMs: number;
};

export type PlayInput = {
  client: ServiceClient;
  /** Path of the bare repository that the agent changes. */
  repository: string;
  say: (text: string) => void;
  /** Called once the issue exists; an agent takes it next. */
  onIssue: (identifier: string) => void;
  signal: AbortSignal;
};

/**
 * Creates the demo's issue and follows the event stream until it comes to rest. Throws a
 * `CommandError` that names the awaited event when no more events arrive.
 */
export async function playIssue(input: PlayInput): Promise<DemoResult> {
  const { client, say } = input;
  const startedAtMs = performance.now();
  say('waiting for the runner …');
  const runner = await waitFor(input, 'the runner to connect', async () => {
    const { runners } = await client.ask<{ runners: Runner[] }>('GET', '/runners');
    return runners.find(({ status }) => status === 'connected') ?? null;
  });
  await routeTo(client, input.repository);
  const filed = { ...failingTestIssue, labels: ['bug'], priority: 2 };
  const made = await client.ask<IssueDetail>('POST', '/local/issues', { body: filed });
  const { identifier } = made;
  say(`${identifier} is filed; the agent takes it from here …`);
  input.onIssue(identifier);
  let shown = '';
  const issue = await waitFor(input, `${identifier} to be worked on`, async () => {
    const detail = await client.ask<IssueDetail>('GET', `/${identifier}`);
    shown = printProgress(detail, shown, say);
    return ENDED.has(detail.status) ? detail : null;
  });
  return resultOf(client, { issue, runner, durationMs: performance.now() - startedAtMs });
}

/** Routes the demo's issues to this repository, in place of an earlier demo's repository. */
async function routeTo(client: ServiceClient, repository: string): Promise<void> {
  const { repos } = await client.ask<{ repos: RepoRoute[] }>('GET', '/config');
  const value = [
    ...repos.filter(({ prefix }) => prefix !== PREFIX),
    {
      prefix: PREFIX,
      url: `file://${repository}`,
      checks: [{ name: 'test', command: 'node --test' }],
      scope: ['src/**', 'test/**'],
      artifacts: reportFolder,
      evidence: 'full',
    },
  ];
  await client.ask('PATCH', '/config/overlay/repos', { body: { value } });
}

/** Checks at once and after each event; gives up when no event arrives for `MAX_IDLE_MS`. */
async function waitFor<T>(
  { client, say, signal }: PlayInput,
  what: string,
  read: () => Promise<T | null>,
): Promise<T> {
  const over = new AbortController();
  let news = deferred<void>();
  const following = followEvents(client, {
    afterSeq: 0,
    signal: AbortSignal.any([signal, over.signal]),
    onEvent: () => news.resolve(),
    onTrouble: (message) => say(`  ${message}`),
    isLast: () => false,
  });
  // An error that ends the stream also ends the wait.
  following.catch((error: unknown) => news.reject(error));
  try {
    for (;;) {
      const found = await read();
      if (found !== null) return found;
      await untilNews(news.promise, what, signal);
      await delay(SETTLE_MS, null, { signal });
      // Created before the check, so that an event during the check triggers another one.
      news = deferred<void>();
    }
  } finally {
    over.abort();
    await following.catch(() => null);
  }
}

async function untilNews(news: Promise<void>, what: string, signal: AbortSignal): Promise<void> {
  const waited = new AbortController();
  const idle = delay(MAX_IDLE_MS, true, { signal: AbortSignal.any([signal, waited.signal]) });
  try {
    if ((await Promise.race([news, idle])) !== true) return;
  } finally {
    waited.abort();
  }
  throw new CommandError(
    `waited ${MAX_IDLE_MS / 60_000} minutes for ${what}, and nothing happened.\n` +
      `  "${commandText('doctor', process.env)}" names what is missing; --sandbox process does without Docker.`,
    EXIT.failed,
  );
}

async function resultOf(
  client: ServiceClient,
  { issue, runner, durationMs }: { issue: IssueDetail; runner: Runner; durationMs: number },
): Promise<DemoResult> {
  const { identifier } = issue;
  const list = await client.ask<{ pullRequests: PullRequest[] }>('GET', '/local/pull-requests');
  const pullRequest = list.pullRequests.find((found) => found.issueIdentifier === identifier);
  const [attempt] = issue.attempts;
  const events =
    attempt === undefined
      ? []
      : (await client.ask<AttemptDetail>('GET', `/attempts/${attempt.attemptId}?limit=500`)).events;
  return {
    issue: { identifier, title: issue.title, status: issue.status, reason: issue.reason },
    attempts: issue.attempts.map((a) => ({
      attemptId: a.attemptId,
      number: a.number,
      outcome: a.outcome,
      failureKind: a.failureKind,
      ...(a.errorMessage === null ? {} : { errorMessage: a.errorMessage }),
    })),
    pullRequest:
      pullRequest === undefined
        ? null
        : {
            id: pullRequest.id,
            url: pullRequest.url,
            branch: pullRequest.branch,
            commitSha: pullRequest.commitSha,
            diffStat: pullRequest.diffStat,
          },
    events: events.length,
    sandbox: isolationOf(events) ?? runner.isolation,
    engineVersion: engineVersionOf(events),
    durationMs: Math.round(durationMs),
  };
}

/** Isolation from the event of the container's start: the runner's own may have changed since. */
function isolationOf(events: StreamEvent[]): string | null {
  const container = events.find((event) => event.data['kind'] === 'container');
  const parsed = AttemptEventPayload.container.safeParse(container?.data['payload']);
  return parsed.success ? (parsed.data.isolation ?? null) : null;
}

/** The version that the engine reported in the event that began its thread. */
function engineVersionOf(events: StreamEvent[]): string | null {
  const thread = events.find((event) => event.data['kind'] === 'thread');
  const parsed = AttemptEventPayload.thread.safeParse(thread?.data['payload']);
  return parsed.success ? parsed.data.engineVersion : null;
}

function printProgress(issue: IssueDetail, shown: string, say: (text: string) => void): string {
  const phase = issue.attempts[0]?.phase;
  const now = [issue.status, phase, issue.reason]
    .filter((part) => part !== null && part !== undefined)
    .join(' · ');
  if (now !== shown) say(`  ${issue.identifier}: ${now}`);
  return now;
}
