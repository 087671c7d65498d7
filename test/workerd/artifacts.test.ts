import { EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifactsEvent, EVIDENCE, file } from '../contracts/evidence/scene-with-evidence.ts';
import { PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { eventsMessage, numbered } from '../support/core/scripted-runner.ts';
import { SocketRunner } from '../support/core/socket-runner.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

const LIMIT_MS = 60_000;
/** More than one part of a blob, and each part another. */
const PICTURE = Uint8Array.from({ length: 2_500_000 }, (_, at) => (at * 7 + (at >> 12)) % 256);
const REPORT = 'all is grün\n'.repeat(100_000);

let edge: Edge;
let client: ServiceClient;
let runner: SocketRunner;
beforeAll(async () => {
  const repos = [{ prefix: 'SY-', url: 'file:///srv/repositories/shop', ...EVIDENCE }];
  edge = await startEdge({
    settings: { ...PLATFORM_SETTINGS, SERVICE_CONFIG__repos: JSON.stringify(repos) },
  });
  client = new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken);
  runner = await SocketRunner.join(client, 'files');
});
afterAll(async () => {
  runner?.close();
  await edge?.close();
});

it(
  'files that an agent left pass through the Worker as they are',
  async () => {
    const line = await runner.connect();
    await client.createIssue({ title: 'Draw', state: 'Todo' });
    const { attemptId, epoch } = await line.next('offer');
    line.say({ type: 'accept', ref: 'accept-1', attemptId, epoch });
    const { attemptToken } = await line.next('granted');
    const lease = { attemptId, epoch, token: attemptToken, seq: 0, digest: EMPTY_DIGEST };
    const picture = file(lease, 'shot.png', PICTURE, 'image/png');
    const report = file(lease, 'report.txt', REPORT, 'text/plain');
    for (const [{ blob }, body] of [[picture, PICTURE] as const, [report, REPORT] as const]) {
      const answer = await fetch(`${edge.url}/api/v1/runners/blobs/${blob.slice(9)}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${attemptToken}` },
        body,
      });
      expect(answer.status, await answer.text()).toBe(201);
    }
    const item = numbered(lease, [artifactsEvent([picture, report])], Date.now());
    line.say(eventsMessage(lease, item));
    await line.next('ack');

    const evidence = await client.must('GET', `/attempts/${attemptId}/evidence`);
    expect(evidence).toMatchObject({ files: [{ path: 'shot.png' }, { path: 'report.txt' }] });
    const read = async ({ sha256 }: { sha256: string }) => {
      const url = `${edge.url}/api/v1/attempts/${attemptId}/artifacts/${sha256}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${edge.writeToken}` } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-security-policy')).toContain('sandbox');
      return Buffer.from(await answer.arrayBuffer());
    };
    expect(Buffer.compare(await read(picture), PICTURE)).toBe(0);
    expect((await read(report)).toString()).toBe(REPORT);
  },
  LIMIT_MS,
);
