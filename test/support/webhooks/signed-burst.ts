import { createHmac } from 'node:crypto';

const ANSWER_TIMEOUT_MS = 10_000;

/** One delivery as its sender keeps it: the same id whenever it is sent again. */
export type BurstDelivery = {
  provider: 'tracker' | 'codehost';
  deliveryId: string;
  /** What it is about; the tracker's carry the time at which they are sent. */
  body: Record<string, unknown>;
};

/** Sends a delivery as its provider signs it; the status, 0 when nobody answered in full. */
export async function sendSigned(
  url: string,
  secret: string,
  { provider, deliveryId, body }: BurstDelivery,
): Promise<number> {
  const isTracker = provider === 'tracker';
  const text = JSON.stringify(isTracker ? { ...body, webhookTimestamp: Date.now() } : body);
  const hex = createHmac('sha256', secret).update(text).digest('hex');
  const headers: Record<string, string> = isTracker
    ? { 'linear-signature': hex, 'linear-delivery': deliveryId, 'linear-event': 'Issue' }
    : {
        'x-hub-signature-256': `sha256=${hex}`,
        'x-github-delivery': deliveryId,
        'x-github-event': 'pull_request',
      };
  try {
    const response = await fetch(`${url}/webhooks/${provider}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    // It was killed, or is not back yet: the sender tries again, as providers do.
    return 0;
  }
}
