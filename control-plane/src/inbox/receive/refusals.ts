import { type DeliveryRefusal, RefusalReason } from '@switchyard/shared/api/admin/webhook';
import { and, desc, gte, like } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { facts } from '../../db/schema/admin/config.ts';
import { setFact } from '../../db/set-fact.ts';

/** The receiver to which a request is addressed; null when the address has none. */
export type Receiver = DeliveryRefusal['provider'];

const PREFIX = 'webhook_refused:';
const RECEIVERS: Record<string, Receiver> = {
  tracker: 'tracker',
  codehost: 'codehost',
  trigger: 'trigger',
  unknown: null,
};
const SHOWN_MS = 7 * 86_400_000;

/** Records the time of a refusal in one row for each receiver and reason. */
export function recordRefusal(
  db: Database,
  nowMs: number,
  receiver: Receiver,
  reason: RefusalReason,
): Statement {
  return setFact(db, nowMs, `${PREFIX}${receiver ?? 'unknown'}:${reason}`, {});
}

/** Recent refusals, newest first, with advice for people. */
export async function listRefusals(db: Database, nowMs: number): Promise<DeliveryRefusal[]> {
  const rows = await db
    .select({ name: facts.name, atMs: facts.updated_at_ms })
    .from(facts)
    .where(and(like(facts.name, `${PREFIX}%`), gte(facts.updated_at_ms, nowMs - SHOWN_MS)))
    .orderBy(desc(facts.updated_at_ms), facts.name);
  return rows.flatMap(({ name, atMs }) => {
    const [receiver = '', word = ''] = name.slice(PREFIX.length).split(':');
    const { data: reason } = RefusalReason.safeParse(word);
    const provider = RECEIVERS[receiver];
    if (reason === undefined || provider === undefined) return [];
    const message = refusalMessage(provider, reason);
    return [{ provider, reason, lastAt: new Date(atMs).toISOString(), message }];
  });
}

const SIGNED: Record<NonNullable<Receiver>, string> = {
  tracker:
    'it is not signed with webhook.webhookSecret, or is older than a minute: give both sides the same secret, and compare their clocks',
  codehost:
    'it is not signed with webhook.codehostSecret (without one: webhook.webhookSecret): give both sides the same secret',
  trigger: 'its X-Service-Trigger-Key is not triggers.apiKey: send that key',
};
const SECRET: Record<NonNullable<Receiver>, string> = {
  tracker: 'webhook.webhookSecret',
  codehost: 'webhook.codehostSecret',
  trigger: 'triggers.apiKey',
};

function refusalMessage(receiver: Receiver, reason: RefusalReason): string {
  switch (reason) {
    case 'wrong_content_type':
      return 'the body is not application/json: set the content type to application/json where the webhook is configured';
    case 'wrong_signature':
      return receiver === null ? 'it is not signed' : SIGNED[receiver];
    case 'malformed':
      return 'it is no delivery that can be read: check what sends it, and to which address';
    case 'too_large':
      return 'it is larger than the receiver takes: choose fewer events for the webhook';
    case 'unconfigured':
      return `no secret is set for it: set ${receiver === null ? 'one' : SECRET[receiver]}, with the value that the sender has`;
    case 'unknown_receiver':
      return 'no receiver has its address: send to /webhooks/tracker or /webhooks/codehost';
    case 'unknown_host':
      return 'it asks for a host name that nobody configured: set SERVICE_PUBLIC_ORIGIN or webhook.webhookUrl to the address that the sender uses';
    case 'foreign_page':
      return "another site's page sent it through a browser on this machine; no webhook does";
    case 'rate_limited':
      return 'one sender sent more than limits.webhooksPerMinute in a minute: raise it if that is the tracker or code host';
    case 'too_slow':
      return 'its body did not arrive in time: look at the proxy or the network between';
    case 'busy':
      return 'too much came at once, or this instance does not lead: the sender tries again';
    case 'failed':
      return 'it could not be stored: look at the log and at the database';
  }
}
