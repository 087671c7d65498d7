import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';

const ANSWER_TIMEOUT_MS = 60_000;

/** A delivery to be signed when it is sent, because its signature covers the time. */
export type BenchDelivery = { deliveryId: string; issueId: string };
/** How one was answered; times as `performance.now()` gives them. */
export type BenchAnswer = { status: number; sentAtMs: number; answeredAtMs: number };

export type DeliverySender = {
  send(delivery: BenchDelivery): Promise<BenchAnswer>;
  close(): void;
};

/** Sends signed deliveries of the tracker over at most so many connections that stay open. */
export function createDeliverySender(
  url: string,
  secret: string,
  connections: number,
): DeliverySender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send({ deliveryId, issueId }) {
      const body = JSON.stringify({
        action: 'update',
        type: 'Issue',
        data: { id: issueId, title: 'Changed by the bench' },
        webhookTimestamp: Date.now(),
      });
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'linear-delivery': deliveryId,
        'linear-event': 'Issue',
        'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
      };
      const sentAtMs = performance.now();
      return new Promise((resolve, reject) => {
        const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
        const asked = request(`${url}/webhooks/tracker`, {
          method: 'POST',
          agent,
          headers,
          signal,
        });
        asked.once('error', reject);
        asked.once('response', (response) => {
          const status = response.statusCode ?? 0;
          response.once('error', reject);
          response.once('end', () =>
            resolve({ status, sentAtMs, answeredAtMs: performance.now() }),
          );
          response.resume();
        });
        asked.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
