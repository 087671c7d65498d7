import { createHash } from 'node:crypto';
import { SocketRunner } from '../core/socket-runner.ts';
import type { EdgeDev } from './edge-dev.ts';

/** Stores and reads blobs of an attempt as its runner does. */
export type BlobRoute = {
  put(name: string, body: Uint8Array<ArrayBuffer>): Promise<void>;
  /** SHA-256 of what is read back, hexadecimal. */
  digestOf(name: string): Promise<string>;
  close(): void;
};

/** Has a runner lease an issue of its own at the edge, for the sake of its blobs. */
export async function openBlobRoute(edge: EdgeDev): Promise<BlobRoute> {
  const runner = await SocketRunner.join(edge.client, 'uploads');
  const line = await runner.connect();
  await edge.client.createIssue({ title: 'Large', state: 'Todo' });
  const { attemptId, epoch } = await line.next('offer');
  line.say({ type: 'accept', ref: 'accept-1', attemptId, epoch });
  const { attemptToken } = await line.next('granted');
  const url = `${edge.url}/api/v1/runners/blobs/${attemptId}/${epoch}`;
  const headers = { authorization: `Bearer ${attemptToken}` };
  return {
    async put(name, body) {
      const answer = await fetch(`${url}/${name}`, { method: 'PUT', headers, body });
      if (answer.status !== 201) throw new Error(`PUT ${name}: ${await answer.text()}`);
      await answer.body?.cancel();
    },
    async digestOf(name) {
      const key = encodeURIComponent(`attempts/${attemptId}/${epoch}/${name}`);
      const answer = await fetch(`${url}?key=${key}`, { headers });
      const digest = createHash('sha256');
      for await (const chunk of answer.body ?? []) digest.update(chunk);
      return digest.digest('hex');
    },
    close: () => runner.close(),
  };
}
