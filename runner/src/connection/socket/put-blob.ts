import { collectBytes } from '@switchyard/shared/bytes/collect-bytes';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { z } from 'zod';
import { type Clock, sleep } from '../clock.ts';
import type { LeaseRef } from '../lease-ref.ts';
import type { Transport } from '../proxy/transport.ts';
import { withSlash } from './websocket.ts';

const BLOB_TRIES = 6;
const GET_TRIES = 3;
const BLOB_TIMEOUT_MS = 60_000;
const BLOB_RETRY_MS = 500;

type BlobDeps = { controlPlaneUrl: string; clock: Clock; transport: Pick<Transport, 'fetch'> };

const StoredBlob = z.object({ key: z.string().min(1).max(1_024) });

/** Stores a blob under an attempt's epoch; resolves with its key. Retries temporary failures. */
export async function putBlob(
  deps: BlobDeps,
  ref: LeaseRef,
  attemptToken: () => string,
  blob: { name: string; body: string | Uint8Array; signal: AbortSignal },
): Promise<string> {
  const path = `api/v1/runners/blobs/${encodeURIComponent(ref.attemptId)}/${ref.epoch}/${blob.name}`;
  const url = new URL(path, withSlash(deps.controlPlaneUrl));
  let why = '';
  for (let attempt = 0; attempt < BLOB_TRIES; attempt += 1) {
    if (attempt > 0) await sleep(deps.clock, BLOB_RETRY_MS * 2 ** attempt, blob.signal);
    blob.signal.throwIfAborted();
    const outcome = await putOnce(deps.transport, url, attemptToken(), blob);
    if (outcome.ok) return outcome.key;
    why = outcome.why;
    if (!outcome.retry) break;
  }
  throw new Error(`the control plane did not take blob ${blob.name}: ${why}`);
}

/**
 * Reads a blob of an earlier attempt of the same issue, at most MAX_BLOB_BYTES. Retries a few
 * times.
 */
export async function getBlob(
  deps: BlobDeps,
  ref: LeaseRef,
  attemptToken: () => string,
  blob: { key: string; signal: AbortSignal },
): Promise<Uint8Array> {
  const path = `api/v1/runners/blobs/${encodeURIComponent(ref.attemptId)}/${ref.epoch}`;
  const url = new URL(path, withSlash(deps.controlPlaneUrl));
  url.searchParams.set('key', blob.key);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await deps.transport.fetch(url, {
        headers: { authorization: `Bearer ${attemptToken()}` },
        signal: AbortSignal.any([blob.signal, AbortSignal.timeout(BLOB_TIMEOUT_MS)]),
      });
      if (response.ok) return await readLimited(response);
      throw new Error(`the control plane answered ${response.status}`);
    } catch (error) {
      if (attempt >= GET_TRIES || blob.signal.aborted) throw error;
    }
    await sleep(deps.clock, BLOB_RETRY_MS * 2 ** attempt, blob.signal);
  }
}

async function readLimited(response: Response): Promise<Uint8Array> {
  const { bytes, isWhole } = await collectBytes(response.body, MAX_BLOB_BYTES);
  if (isWhole) return bytes;
  throw new Error('the blob is larger than any that can be stored');
}

async function putOnce(
  transport: BlobDeps['transport'],
  url: URL,
  token: string,
  blob: { body: string | Uint8Array; signal: AbortSignal },
): Promise<{ ok: true; key: string } | { ok: false; retry: boolean; why: string }> {
  try {
    const response = await transport.fetch(url, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: typeof blob.body === 'string' ? blob.body : Buffer.from(blob.body),
      signal: AbortSignal.any([blob.signal, AbortSignal.timeout(BLOB_TIMEOUT_MS)]),
    });
    const text = await response.text();
    if (response.ok) return { ok: true, key: StoredBlob.parse(JSON.parse(text)).key };
    // 401 may mean a token that is just being renewed.
    const retry = response.status >= 500 || response.status === 429 || response.status === 401;
    return { ok: false, retry, why: `${response.status} ${cutText(text, 300)}` };
  } catch (error) {
    return { ok: false, retry: true, why: messageOf(error) };
  }
}
