import type { ConformanceClient } from './conformance-client.ts';
import type { Fixture } from './operation.ts';

type Json = Record<string, unknown>;

/** Makes what the checks need. Throws with the service's words when it refuses. */
export async function makeFixture(client: ConformanceClient, mark: string): Promise<Fixture> {
  const must = async <T extends Json>(method: string, path: string, body?: Json): Promise<T> => {
    const answer = await client.send({ method, path: `/api/v1${path}`, body });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    }
    return answer.body as T;
  };
  const overlay = await must('GET', '/config/overlay');
  const issue = await must<{ identifier: string }>('POST', '/local/issues', {
    title: mark,
    state: 'Backlog',
  });
  const template = await must<{ id: string }>('POST', '/templates', { name: mark, body: 'Do it' });
  const notifications = await must<{ notifications: { id: string }[] }>(
    'GET',
    '/notifications?limit=1',
  );
  return {
    client,
    mark,
    overlay,
    issue: issue.identifier,
    templateId: template.id,
    secretKey: `CONFORMANCE_${mark.replace(/\W/g, '_').toUpperCase()}`,
    attempt: await someAttempt(must),
    notificationId: notifications.notifications[0]?.id ?? null,
    routeIndex: async () => {
      const { routes } = await must<{ routes: { prefix?: string }[] }>('GET', '/setup/repo-routes');
      return routes.findIndex(({ prefix }) => prefix === 'CONFORMANCE-');
    },
  };
}

type Must = <T extends Json>(method: string, path: string) => Promise<T>;

async function someAttempt(must: Must): Promise<Fixture['attempt']> {
  const state = await must('GET', '/state');
  const groups = ['completed', 'failed', 'blocked', 'running', 'retrying'];
  const issues = groups.flatMap((group) => state[group] as { identifier: string }[]);
  for (const { identifier } of issues) {
    const { attempts } = await must<{ attempts: { attemptId: string }[] }>(
      'GET',
      `/${identifier}/attempts`,
    );
    const [first] = attempts;
    if (first !== undefined) return { attemptId: first.attemptId, identifier };
  }
  return null;
}

/** Takes away what the run made; what is gone already is no trouble. */
export async function removeFixture(fixture: Fixture): Promise<void> {
  const { client, mark, overlay } = fixture;
  const send = (method: string, path: string, body?: Json) =>
    client.send({ method, path: `/api/v1${path}`, body });
  await send('PUT', '/config/overlay', overlay);
  await send('DELETE', `/secrets/${fixture.secretKey}`);
  const list = (await send('GET', '/templates?limit=500')).body as {
    templates: { id: string; name: string }[];
  };
  for (const { id, name } of list.templates) {
    if (name.startsWith(mark)) await send('DELETE', `/templates/${id}`);
  }
  await send('PATCH', `/local/issues/${fixture.issue}`, { state: 'Canceled' });
}
