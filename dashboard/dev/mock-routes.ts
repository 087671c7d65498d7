import type { Issue } from '@switchyard/shared/api/work/issue';
import { attempts, checkpointsOf } from './mock-attempts.ts';
import { DIFF, pullRequests, routes } from './mock-delivery.ts';
import { emit, events } from './mock-events.ts';
import { observability, transitions, usageDays } from './mock-figures.ts';
import { comments, issue, issues, tokens } from './mock-issues.ts';
import { requests } from './mock-requests.ts';
import { runners } from './mock-runners.ts';
import { ago } from './mock-time.ts';

const EMPTY = process.argv.includes('--empty');
let paused: { reason: string; since: string } | null = process.argv.includes('--paused')
  ? { reason: 'The provider limits usage until 14:00', since: ago(12) }
  : null;

/** Answers one call; undefined is a 404. */
type Route = (params: string[], url: URL, body: Record<string, unknown>) => unknown;
const find = (id: string | undefined) => issues.find((entry) => entry.identifier === id);

export const ROUTES: [method: string, path: RegExp, answer: Route][] = [
  ['GET', /^\/state$/, state],
  [
    'GET',
    /^\/runtime$/,
    () => ({
      version: '0.1.0',
      data_dir: '/var/lib/switchyard',
      feature_flags: {},
      provider: EMPTY ? null : 'openai',
      uptime_seconds: 93_211,
      instance: { id: 'a', role: 'active' },
    }),
  ],
  [
    'GET',
    /^\/local\/issues$/,
    () => ({ issues: EMPTY ? [] : issues, total: EMPTY ? 0 : issues.length }),
  ],
  [
    'GET',
    /^\/usage$/,
    (_, url) => ({
      days: usageDays(Number(url.searchParams.get('days') ?? 30)),
      prices: {
        missing: [],
        listed: ['gpt-5.5'],
        readOn: '2026-11-22',
        source: 'https://example.com',
      },
    }),
  ],
  ['GET', /^\/search$/, (_, url) => search(url.searchParams.get('q') ?? '')],
  ['GET', /^\/observability$/, () => observability()],
  ['GET', /^\/transitions$/, () => transitions()],
  ['GET', /^\/models$/, () => ({ models: [{ id: 'scripted-model' }, { id: 'scripted-large' }] })],
  ['GET', /^\/templates$/, () => ({ templates: [], total: 0 })],
  ['POST', /^\/([A-Z]+-\d+)\/steer$/, () => ({ ok: true, delivered: true })],
  ['POST', /^\/([A-Z]+-\d+)\/transition$/, move],
  ['POST', /^\/refresh$/, () => ({ queued: true, coalesced: false, requestedAt: ago(0) })],
  ['POST', /^\/local\/issues$/, createIssue],
  ['GET', /^\/local\/issues\/([^/]+)\/comments$/, () => ({ comments })],
  [
    'POST',
    /^\/local\/issues\/([^/]+)\/comments$/,
    (_, __, body) => {
      const at = new Date().toISOString();
      comments.push({
        id: `c${comments.length + 1}`,
        author: 'You',
        byService: false,
        body: String(body['body']),
        createdAt: at,
        updatedAt: at,
      });
      return comments.at(-1);
    },
  ],
  [
    'GET',
    /^\/requests$/,
    (_, url) =>
      list(
        'requests',
        requests.filter(
          (entry) =>
            !url.searchParams.has('state') || entry.state === url.searchParams.get('state'),
        ),
      ),
  ],
  [
    'POST',
    /^\/requests\/([^/]+)\/answer$/,
    ([id], _, body) => {
      const request = requests.find((entry) => entry.requestId === id);
      if (request)
        Object.assign(request, {
          state: 'answered',
          answers: body['answers'],
          answeredBy: 'local',
          answeredAt: new Date().toISOString(),
        });
      emit('request.answered', {
        requestId: id,
        attemptId: request?.attemptId,
        identifier: request?.identifier,
      });
      return request;
    },
  ],
  ['GET', /^\/runners$/, () => list('runners', runners)],
  ['POST', /^\/runners\/(run-\d+)\/drain$/, ([id]) => setRunner(id, 'draining')],
  ['DELETE', /^\/runners\/(run-\d+)$/, ([id]) => setRunner(id, 'revoked')],
  [
    'POST',
    /^\/pause$/,
    (_, __, body) => {
      paused = { reason: String(body['reason']), since: new Date().toISOString() };
      return { ...paused, stopping: 0 };
    },
  ],
  [
    'POST',
    /^\/resume$/,
    () => {
      paused = null;
      return { ok: true };
    },
  ],
  [
    'POST',
    /^\/runners\/tokens$/,
    () => ({
      token: 'swy_join_2Jw8mQbn4Zt7Lr1XcVfE0p',
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  ],
  ['GET', /^\/setup\/repo-routes$/, () => ({ routes: EMPTY ? [] : routes })],
  ['POST', /^\/setup\/repo-route$/, (_, __, body) => routes.push(body as never)],
  ['DELETE', /^\/setup\/repo-route\/(\d+)$/, ([index]) => routes.splice(Number(index), 1)],
  ['GET', /^\/local\/pull-requests$/, () => list('pullRequests', pullRequests)],
  [
    'GET',
    /^\/local\/pull-requests\/([^/]+)$/,
    ([id]) => pullRequests.find((entry) => entry.id === id),
  ],
  ['GET', /^\/local\/pull-requests\/([^/]+)\/diff$/, () => DIFF],
  [
    'POST',
    /^\/local\/pull-requests\/([^/]+)\/(merge|close)$/,
    ([id, verb]) => {
      const found = pullRequests.find((entry) => entry.id === id);
      return (
        found &&
        Object.assign(found, {
          status: verb === 'merge' ? 'merged' : 'closed',
          mergeCommitSha: verb === 'merge' ? 'feedbeef12345678' : null,
        })
      );
    },
  ],
  [
    'GET',
    /^\/attempts\/([^/]+)$/,
    ([id], url) => {
      const after = Number(url.searchParams.get('after') ?? 0);
      const own = events.filter((event) => event.data['attemptId'] === id && event.seq > after);
      return {
        ...attempts.find((entry) => entry.attemptId === id),
        events: own.slice(0, Number(url.searchParams.get('limit') ?? 50)),
      };
    },
  ],
  ['GET', /^\/attempts\/([^/]+)\/checkpoints$/, ([id]) => ({ checkpoints: checkpointsOf(id) })],
  ['GET', /^\/([A-Z]+-\d+)\/diff$/, ([id]) => (id === 'SY-14' ? undefined : DIFF)],
  ['POST', /^\/([A-Z]+-\d+)\/publish$/, () => pullRequests[0]],
  [
    'POST',
    /^\/([A-Z]+-\d+)\/(abort|retry)$/,
    ([id, verb]) => {
      const found = find(id);
      if (found)
        Object.assign(found, {
          status: verb === 'abort' ? 'cancelled' : 'queued',
          reason: verb === 'abort' ? 'Stopped by a person' : 'Waits for a free slot',
        });
      emit(`issue.${verb === 'abort' ? 'cancelled' : 'queued'}`, {
        identifier: id,
        issueId: found?.id,
      });
      return { ok: true };
    },
  ],
  ['GET', /^\/([A-Z]+-\d+)\/attempts$/, ([id]) => attemptList(id)],
  [
    'GET',
    /^\/([A-Z]+-\d+)$/,
    ([id]) => {
      const found = find(id);
      return found && { ...found, recentEvents: [], ...attemptList(id) };
    },
  ],
];

const list = (name: string, entries: unknown[]) => ({
  [name]: EMPTY ? [] : entries,
  total: EMPTY ? 0 : entries.length,
});

function setRunner(id: string | undefined, status: 'draining' | 'revoked') {
  const found = runners.find((entry) => entry.runnerId === id);
  return found && Object.assign(found, { status });
}

function attemptList(id: string | undefined) {
  const own = attempts.filter((entry) => entry.identifier === id);
  return {
    attempts: own,
    currentAttemptId: own.find((entry) => entry.endedAt === null)?.attemptId ?? null,
  };
}

function search(query: string) {
  const found = (kind: string, title: string, detail: string | null, link: string) => ({
    ...{ kind, title, detail, link },
    rank: title.toLowerCase().includes(query.toLowerCase()) ? 40 : 6,
  });
  const results = [
    ...issues
      .filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()))
      .map(({ identifier, title, state: at }) =>
        found('issue', `${identifier} ${title}`, at, `/issues/${identifier}`),
      ),
    found(
      'setting',
      'agent.maxConcurrentAgents',
      'How many attempts run at once, over all runners.',
      '/config?section=agent',
    ),
    found('secret', 'MODEL_KEY', null, '/secrets'),
    found(
      'log',
      'Log of SY-12',
      `…the test for ${query} fails with ERR_ASSERTION in line 12 of…`,
      '/issues/SY-12',
    ),
  ];
  return { query, results };
}

function state() {
  const of = (status: Issue['status']) =>
    EMPTY ? [] : issues.filter((entry) => entry.status === status);
  return {
    generated_at: new Date().toISOString(),
    counts: Object.fromEntries(
      [...Map.groupBy(EMPTY ? [] : issues, (entry) => entry.status)].map(([name, list]) => [
        name,
        list.length,
      ]),
    ),
    queued: of('queued'),
    running: of('running'),
    retrying: of('retrying'),
    blocked: of('blocked'),
    completed: of('completed'),
    failed: of('failed'),
    totals: {
      tokens: tokens(EMPTY ? 0 : 5_284_310),
      cost_usd: EMPTY ? null : 18.42,
      attempts: EMPTY ? 0 : 27,
    },
    paused,
    warnings: EMPTY
      ? []
      : [
          'attic runs agents without isolation: they can read what its user can read. Build the sandbox with npm run sandbox:build.',
        ],
    notices: EMPTY
      ? []
      : [
          {
            id: 'runner:attic',
            code: 'runner_warning' as const,
            detail: 'attic: agents run without isolation',
            since: null,
            until: null,
          },
        ],
    needs_person: [],
  };
}

function createIssue(_: string[], __: URL, body: Record<string, unknown>): unknown {
  const created = issue(21 + issues.length, String(body['title']), {
    ...(body as Partial<Issue>),
    blockedBy: [],
    createdAt: new Date().toISOString(),
    updatedAt: new Date().toISOString(),
  });
  if (created.title === 'fail') return undefined;
  issues.push(created);
  emit('issue.updated', {
    identifier: created.identifier,
    issueId: created.id,
    status: 'idle',
    reason: null,
  });
  return created;
}

/** Moves an issue to another state of the tracker. */
function move([id]: string[], _: URL, body: Record<string, unknown>) {
  const moved = find(id);
  if (moved === undefined) return undefined;
  const from = moved.state;
  moved.state = String(body['to']);
  emit('issue.updated', { identifier: moved.identifier });
  return { ok: true, from, to: moved.state };
}
