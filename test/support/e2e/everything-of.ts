import { EventReader } from './event-reader.ts';
import type { ServiceClient } from './service-client.ts';

/** What people see of an installation whose one issue is done. */
export async function everythingOf(client: ServiceClient) {
  const reader = await EventReader.open(client.url, { query: '?after=0&issue=SY-1' });
  await reader.waitFor(({ type }) => type === 'issue.completed');
  await reader.close();
  const events = reader.frames.map(({ event }) => event);
  const end = events.findIndex(({ type }) => type === 'issue.completed');
  const issue = await client.issue('SY-1');
  const [attempt] = issue.attempts;
  const { templates } = await client.must<{ templates: unknown[] }>('GET', '/templates');
  return {
    issue,
    events: events.slice(0, end + 1),
    attempt: attempt === undefined ? null : await client.attempt(attempt.attemptId),
    diff: await client.ask('GET', '/api/v1/SY-1/diff').then(({ status, body }) => [status, body]),
    templates,
    overlay: await client.must('GET', '/config/overlay'),
    secrets: await client.must('GET', '/secrets'),
  };
}
