import { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { messageOf } from '@switchyard/shared/message-of';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Check } from './check-operation.ts';
import type { ConformanceClient } from './conformance-client.ts';
import type { Fixture } from './operation.ts';

const EVENT_TIMEOUT_MS = 20_000;

/** The metrics of the interface with their types. */
const METRICS: Readonly<Record<string, 'counter' | 'histogram' | 'gauge'>> = {
  service_http_requests_total: 'counter',
  service_http_request_duration_seconds: 'histogram',
  service_orchestrator_polls_total: 'counter',
  service_agent_runs_total: 'counter',
  service_container_cpu_percent: 'gauge',
  service_container_memory_percent: 'gauge',
  service_webhook_deliveries_total: 'counter',
  service_webhook_duplicates_total: 'counter',
  service_webhook_events_processed_total: 'counter',
  service_webhook_processor_retries_total: 'counter',
  service_webhook_dlq_total: 'counter',
  service_webhook_subscription_checks_total: 'counter',
  service_webhook_backlog_count: 'gauge',
  service_webhook_dlq_count: 'gauge',
  service_webhook_last_delivery_age_seconds: 'gauge',
  service_webhook_processing_latency_seconds: 'histogram',
};

/** What the tables say of the service as a whole. */
export async function checkService(fixture: Fixture): Promise<[string, Check[]][]> {
  const { client } = fixture;
  return [
    ['GET /api/v1/events', await checkEvents(fixture)],
    ['GET /metrics (names and types)', await checkMetrics(client)],
    ['unknown paths', await checkUnknownPaths(client)],
    ['request ids', await checkRequestIds(client)],
    ['secrets stay secret', await checkSecrets(fixture)],
    ['states of an issue', await checkTransitions(fixture)],
    ['audit', await checkAudit(fixture)],
  ];
}

/** What has to hold: true, or what was found instead. */
const held = (what: string, found: true | string): Check => ({
  what,
  problem: found === true ? null : found,
});

/** Follows the stream, causes an event, and asks for it again by its number. */
async function checkEvents({ client, issue, mark }: Fixture): Promise<Check[]> {
  const change = () =>
    client.send({
      method: 'PATCH',
      path: `/api/v1/local/issues/${issue}`,
      body: { description: `${mark} ${Date.now()}` },
    });
  const path = `/api/v1/events?issue=${issue}`;
  const first = await nextEvent(client, { path, headers: {} }, change);
  if (typeof first === 'string') return [held('sends events as they happen', first)];
  const replayed = await nextEvent(client, {
    path,
    headers: { 'Last-Event-ID': String(first.event.seq - 1) },
  });
  const again = typeof replayed === 'string' ? replayed : null;
  const same = typeof replayed !== 'string' && replayed.event.seq === first.event.seq;
  return [
    held('is a stream of events', first.type.startsWith('text/event-stream') || first.type),
    held('numbers frames by seq', first.id === String(first.event.seq) || `id ${first.id}`),
    held('names no event line', first.name === undefined || `event: ${first.name}`),
    held('replays after Last-Event-ID', same || (again ?? 'another event')),
  ];
}

type Seen = { type: string; id: string | undefined; name: string | undefined; event: StreamEvent };

async function nextEvent(
  client: ConformanceClient,
  request: { path: string; headers: Record<string, string> },
  cause?: () => Promise<unknown>,
): Promise<Seen | string> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), EVENT_TIMEOUT_MS);
  try {
    const response = await client.open({ method: 'GET', ...request }, stop.signal);
    if (response.status !== 200 || response.body === null) return `answered ${response.status}`;
    const caused = cause?.();
    const frames = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const frame of frames) {
      await caused;
      const event = StreamEvent.parse(JSON.parse(frame.data));
      const type = response.headers.get('content-type') ?? '';
      return { type, id: frame.id, name: frame.event, event };
    }
    return 'the stream ended without an event';
  } catch (error) {
    return messageOf(error);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

async function checkMetrics(client: ConformanceClient): Promise<Check[]> {
  const { text } = await client.send({ method: 'GET', path: '/metrics' });
  return Object.entries(METRICS).map(([name, type]) =>
    held(`${name} is a ${type}`, text.includes(`# TYPE ${name} ${type}\n`) || 'is not there'),
  );
}

async function checkUnknownPaths(client: ConformanceClient): Promise<Check[]> {
  const paths = ['/api/v1/no/such/path', '/api/nothing', '/webhooks/nothing', '/metrics/nothing'];
  const checks: Check[] = [];
  for (const path of paths) {
    const { status, body } = await client.send({ method: 'GET', path });
    const enveloped = typeof body === 'object' && body !== null && 'error' in body;
    checks.push(
      held(`${path} is not found`, (status === 404 && enveloped) || `answered ${status}`),
    );
  }
  return checks;
}

async function checkRequestIds(client: ConformanceClient): Promise<Check[]> {
  const ask = async (id?: string) => {
    const headers: Record<string, string> = id === undefined ? {} : { 'X-Request-ID': id };
    const { headers: got } = await client.send({ method: 'GET', path: '/api/v1/runtime', headers });
    return got.get('x-request-id') ?? '';
  };
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const own = await ask();
  const tooLong = await ask('x'.repeat(129));
  return [
    held('gives a UUID v4 where the caller gives none', uuid.test(own) || own),
    held('replaces one that is too long', uuid.test(tooLong) || tooLong),
  ];
}

async function checkSecrets({ client, mark }: Fixture): Promise<Check[]> {
  const value = `value-of-${mark.replaceAll(' ', '-')}`;
  const key = 'CONFORMANCE_HIDDEN';
  const at = `/api/v1/secrets/${key}`;
  await client.send({ method: 'POST', path: at, body: { value } });
  const checks: Check[] = [];
  for (const path of ['/api/v1/secrets', '/api/v1/config', '/api/v1/audit?limit=20']) {
    const { text } = await client.send({ method: 'GET', path });
    checks.push(held(`${path} has no value in it`, !text.includes(value) || 'shows the value'));
  }
  const { text } = await client.send({ method: 'GET', path: '/api/v1/secrets?limit=500' });
  checks.push(held('the name is listed', text.includes(`"${key}"`) || text.slice(0, 200)));
  await client.send({ method: 'DELETE', path: at });
  return checks;
}

async function checkTransitions({ client, issue }: Fixture): Promise<Check[]> {
  const to = (body: object) =>
    client.send({ method: 'POST', path: `/api/v1/${issue}/transition`, body });
  const unlisted = await to({ to: 'No Such State' });
  const alias = await to({ target_state: 'Backlog' });
  const { text } = await client.send({ method: 'GET', path: '/api/v1/transitions?limit=50' });
  return [
    held('refuses a state that is not listed', unlisted.status === 422 || String(unlisted.status)),
    held('takes target_state for to', alias.status === 200 || `${alias.status} ${alias.text}`),
    held('keeps a log of them', text.includes(`"${issue}"`) || 'the issue is not in it'),
  ];
}

async function checkAudit({ client, secretKey }: Fixture): Promise<Check[]> {
  const { body, text } = await client.send({ method: 'GET', path: '/api/v1/audit?limit=500' });
  const verified = await client.send({ method: 'GET', path: '/api/v1/audit?verify=true' });
  const { entries } = body as { entries: { operation: string; path: string }[] };
  return [
    held('has what this run did', text.includes(secretKey) || 'the secret was not audited'),
    held(
      'has operation and path',
      entries.every((entry) => entry.operation !== '' && 'path' in entry) || 'lacks some',
    ),
    held(
      'its chain holds',
      verified.status === 200 || `${verified.status} ${verified.text.slice(0, 200)}`,
    ),
  ];
}
