import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LfsHost as TestHost, sha256, startLfsHost } from '../testing/lfs-host.ts';
import type { WorkspaceError } from '../workspace.ts';
import { createLfsHost, type LfsHost, type Operation } from './lfs-host.ts';

const CONTENT = Buffer.from('content\n');
const pointer = { oid: sha256(CONTENT), sizeBytes: CONTENT.byteLength };
const CREDENTIAL = { username: 'runner', password: 'secret-of-the-route' };
const { signal } = new AbortController();

let folder: string;
let host: TestHost;
let url: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-lfs-'));
  host = await startLfsHost(folder);
  host.wants = CREDENTIAL;
  host.objects.set(pointer.oid, CONTENT);
  url = host.urlOf('team/app.git');
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

const client = (privateHosts: string[] = []): LfsHost =>
  createLfsHost({
    privateHosts,
    remoteEnv: () => Promise.resolve(host.env),
    remoteCredential: () => Promise.resolve(CREDENTIAL),
  });
const ask = (operation: Operation, address = url) =>
  client().batch(address, operation, [pointer], signal);
const codeOf = (work: Promise<unknown>): Promise<[string, string]> =>
  work.then(
    () => ['none', ''],
    ({ code, message }: WorkspaceError) => [code, message],
  );
async function download(lfs: LfsHost): Promise<string> {
  const [answer] = await lfs.batch(url, 'download', [pointer], signal);
  if (answer?.download === undefined) throw answer?.failure ?? new Error('no address');
  const parts: Uint8Array[] = [];
  for await (const part of await lfs.download(url, answer.download, signal)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('Git LFS of a code host', () => {
  it('is asked as the specification has it, whatever the address of the repository ends with', async () => {
    for (const address of [url, `${url}/`, url.replace('.git', '')])
      expect(await ask('upload', address)).toEqual([{ pointer }]);
    expect(await download(client())).toBe(CONTENT.toString());
    expect(host.asked).toEqual([
      ...Array.from({ length: 3 }, () => 'batch upload 1'),
      'batch download 1',
      'GET',
    ]);
  });

  it.each<[number, Operation, string]>([
    ...([401, 403] as const).map(
      (status) => [status, 'upload', 'host_auth_failed'] as [number, Operation, string],
    ),
    ...([404, 413, 422, 501, 507, 509] as const).map(
      (status) => [status, 'upload', 'push_refused'] as [number, Operation, string],
    ),
    ...([429, 500, 502, 503] as const).map(
      (status) => [status, 'upload', 'host_unreachable'] as [number, Operation, string],
    ),
    [404, 'download', 'git_failed'],
  ])('answers %i to an %s: %s, with its words', async (status, operation, code) => {
    host.refuse = { operation, status, message: 'see https://u:p@host.test/\u001b[31m' };
    const [found, words] = await codeOf(ask(operation));
    expect(found).toBe(code);
    expect(words).toContain(`answered ${status}: see https://`);
    for (const never of ['\u001b', 'u:p@', 'secret-of-the-route'])
      expect(words).not.toContain(never);
  });

  it('is not believed when it answers what nobody asked', async () => {
    for (const wrong of [
      { size: 1 },
      { oid: 'f'.repeat(64) },
      { actions: { download: { href: 5 } } },
    ]) {
      host.change = (object) => ({ ...object, ...wrong });
      expect((await codeOf(download(client())))[0]).toBe('git_failed');
    }
    for (const href of [
      'http://127.0.0.1/x',
      'file:///etc/passwd',
      'https://u:p@127.0.0.1/x',
      '/x',
    ]) {
      host.change = (object) => ({ ...object, actions: { download: { href } } });
      expect((await codeOf(download(client())))[0]).toBe('repository_refused');
    }
  });

  it('opens no other port of its own, where that is not on the public internet', async () => {
    for (const port of [1, 443]) {
      host.change = (object) => ({
        ...object,
        actions: { download: { href: `https://127.0.0.1:${port}/x` } },
      });
      const [code, words] = await codeOf(download(client()));
      expect([code, words]).toEqual([
        'repository_refused',
        expect.stringContaining('--allow-private-host 127.0.0.1'),
      ]);
    }
  });

  it('sends elsewhere only where the operator allows it, and nothing of the headers goes along', async () => {
    host.redirectTo = (to) => to.replace('127.0.0.1', 'localhost');
    expect((await codeOf(download(client())))[0]).toBe('repository_refused');
    const [code, words] = await codeOf(download(client([`localhost:${new URL(url).port}`])));
    expect([code, words]).toEqual(['host_auth_failed', expect.stringContaining('no ticket')]);
  });

  it('takes an upload with its verification, and says why it does not', async () => {
    host.objects.clear();
    const lfs = client();
    const upload = async (content: Buffer): Promise<void> => {
      const [answer] = await lfs.batch(url, 'upload', [pointer], signal);
      if (answer === undefined) throw new Error('no answer');
      await lfs.upload(url, answer, () => Readable.from([content]), signal);
    };
    const [code, words] = await codeOf(upload(Buffer.from('Content\n')));
    expect([code, words]).toEqual(['push_refused', expect.stringContaining('other content')]);
    await upload(CONTENT);
    expect(host.objects.get(pointer.oid)).toEqual(CONTENT);
    expect(host.asked.slice(-3)).toEqual(['batch upload 1', 'PUT', 'verify']);
  });

  it('is out of reach when its answer breaks off, and an answer has a limit', async () => {
    host.breakAfter = '{"objects":[';
    expect((await codeOf(ask('download')))[0]).toBe('host_unreachable');
    host.breakAfter = 'x'.repeat(5 * 1024 * 1024);
    expect((await codeOf(ask('download')))[0]).toBe('limit_exceeded');
  });

  it('is asked over https only', () => {
    expect(client().unsupported('ssh://git@host.test/app.git')).toContain('over https only');
    expect(client().unsupported('file:///srv/app.git')).toContain('over https only');
    expect(client().unsupported(url)).toBeNull();
  });
});
