import type { SoakAnswer, SoakClient, Tally } from './soak-client.ts';
import { wait } from './wait.ts';

/** About 200 requests a minute: a busy page, well within the limit. */
const PAUSE_MS = 300;

const READS = [
  '/',
  '/healthz',
  '/metrics',
  '/api/docs',
  '/api/v1/openapi.json',
  '/api/v1/state',
  '/api/v1/runtime',
  '/api/v1/observability',
  '/api/v1/recovery',
  '/api/v1/transitions',
  '/api/v1/notifications',
  '/api/v1/audit?limit=100',
  '/api/v1/config',
  '/api/v1/config/schema',
  '/api/v1/config/overlay',
  '/api/v1/secrets',
  '/api/v1/templates',
  '/api/v1/workspaces',
  '/api/v1/setup/repo-routes',
  '/api/v1/automations',
  '/api/v1/automations/runs',
  '/api/v1/alerts/history',
  '/api/v1/local/issues',
  '/api/v1/local/pull-requests',
  '/api/v1/requests',
  '/api/v1/runners',
  '/api/v1/webhooks/dead',
];
/** Answered by an agent engine or a runner, which may say that it cannot now. */
const ENGINE_READS = [
  '/api/v1/models',
  '/api/v1/engine/capabilities',
  '/api/v1/engine/threads',
  '/api/v1/git/context',
];
const UPSTREAM = [501, 502, 503];

type Options = { client: SoakClient; tally: Tally; name: string; known: () => readonly string[] };

/** Reads and writes as pages and scripts do. None of it may be refused. */
export async function useApi(options: Options, signal: AbortSignal): Promise<void> {
  const { client } = options;
  const etags = new Map<string, string>();
  const read = async (path: string, more: readonly number[] = []) => {
    const etag = etags.get(path);
    const headers: Record<string, string> = etag === undefined ? {} : { 'If-None-Match': etag };
    const answer = await expectStatus(options, { method: 'GET', path, headers }, [
      200,
      304,
      ...more,
    ]);
    if (answer.headers['etag'] !== undefined) etags.set(path, answer.headers['etag']);
  };
  for (let round = 0; !signal.aborted; round += 1) {
    const steps: (() => Promise<unknown>)[] = [
      ...READS.map((path) => () => read(path)),
      ...ENGINE_READS.map((path) => () => read(path, UPSTREAM)),
      ...issueReads(options.known()).map((path) => () => read(path, [404])),
      ...writes(options, round),
    ];
    for (const step of steps) {
      if (signal.aborted) break;
      await step();
      await wait(PAUSE_MS, signal);
    }
  }
  client.close();
}

function issueReads(known: readonly string[]): string[] {
  return known.slice(-3).flatMap((id) => {
    const issue = `/api/v1/${id}`;
    return [issue, `${issue}/attempts`, `${issue}/diff`, `/api/v1/local/issues/${id}/comments`];
  });
}

function writes(options: Options, round: number): (() => Promise<unknown>)[] {
  const { name, known } = options;
  const issue = known().at(-1);
  const secret = `/api/v1/secrets/SOAK_${name.toUpperCase()}`;
  const overlay = '/api/v1/config/overlay/agent.maxFeedbackAttempts';
  const act = (method: string, path: string, body: unknown, statuses: readonly number[]) => () =>
    expectStatus(options, { method, path, body }, statuses);
  const general = [
    act('POST', '/api/v1/refresh', undefined, [202]),
    act('POST', secret, { value: `value-${round}` }, [204]),
    act('DELETE', secret, undefined, [204]),
    act('PATCH', overlay, { value: 1 + (round % 5) }, [200]),
    () => template(options, round),
    act('POST', '/api/v1/notifications/read-all', undefined, [200]),
  ];
  if (issue === undefined) return general;
  const of = `/api/v1/${issue}`;
  const comment = { body: `seen in round ${round}` };
  return [
    ...general,
    act('PATCH', `/api/v1/local/issues/${issue}`, { description: `round ${round}` }, [200]),
    act('POST', `/api/v1/local/issues/${issue}/comments`, comment, [201]),
    act('POST', `${of}/steer`, { message: 'Go on.' }, [202, 409]),
    act('POST', `${of}/model`, { model: 'scripted-model' }, [202]),
    ...(round % 4 === 3 ? [act('POST', `${of}/abort`, undefined, [202, 409])] : []),
    ...(round % 4 === 1 ? [act('POST', `${of}/retry`, undefined, [202, 409])] : []),
  ];
}

async function template(options: Options, round: number): Promise<void> {
  const body = { name: `soak ${options.name} ${round}`, body: 'Do {{ issue.title }}.' };
  const made = await expectStatus(
    options,
    { method: 'POST', path: '/api/v1/templates', body },
    [201],
  );
  if (made.status !== 201) return;
  const { id } = JSON.parse(made.text) as { id: string };
  const path = `/api/v1/templates/${id}`;
  const variables = { issue: { title: 'it' } };
  const preview = { method: 'POST', path: `${path}/preview`, body: { variables } };
  await expectStatus(options, preview, [200]);
  await expectStatus(options, { method: 'DELETE', path }, [204]);
}

async function expectStatus(
  { client, tally }: Options,
  { method, path, ...more }: { method: string; path: string } & Parameters<SoakClient['send']>[2],
  expected: readonly number[],
): Promise<SoakAnswer> {
  const answer = await client.send(method, path, more);
  // That there was no answer the client has noted itself.
  if (!expected.includes(answer.status) && answer.status > 0) {
    tally.problem(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  }
  return answer;
}
