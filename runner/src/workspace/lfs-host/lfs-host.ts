import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import { plainText } from '@switchyard/shared/text/plain-text';
import { cutText } from '@switchyard/shared/text/cut-text';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { GitCredential } from '../git/askpass.ts';
import type { GitOptions } from '../git/git.ts';
import { notLetIn, type RefusedCredential } from '../git/host/refused-credential.ts';
import { redactUrls } from '../git/redact-urls.ts';
import { parseRepositoryUrl } from '../git/repository-url.ts';
import { WorkspaceError } from '../workspace.ts';
import { LFS_LIMITS } from './lfs-limits.ts';
import { answerText, type LfsOrigin, lfsRequest, namedHeaders } from './lfs-request.ts';
import type { Pointer } from './parse-pointer.ts';

export type Operation = 'download' | 'upload';

const Action = z.object({
  href: z.string().max(8192),
  header: z.record(z.string(), z.string()).nullish(),
});
const BatchObject = z.object({
  oid: z.string(),
  size: z.number(),
  actions: z
    .object({ download: Action.nullish(), upload: Action.nullish(), verify: Action.nullish() })
    .nullish(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});
const BatchAnswer = z.object({
  transfer: z.string().nullish(),
  hash_algo: z.string().nullish(),
  objects: z.array(BatchObject).max(LFS_LIMITS.MAX_BATCH_OBJECTS),
});
type Action = z.infer<typeof Action>;

/** A host's answer about one object: what to do with it, or its error. */
export type ObjectAnswer = {
  pointer: Pointer;
  download?: Action;
  /** Absent in the response to an upload: the host has the object. */
  upload?: Action;
  verify?: Action;
  failure?: WorkspaceError;
};

/** Git LFS at the repositories' code hosts. All methods throw WorkspaceError. */
export type LfsHost = {
  /** Why a repository has no usable LFS, for people; null when it may have. */
  unsupported(repositoryUrl: string): string | null;
  /** Requests actions for objects, at most MAX_BATCH_OBJECTS at a time. */
  batch(
    repositoryUrl: string,
    operation: Operation,
    pointers: readonly Pointer[],
    signal: AbortSignal,
  ): Promise<ObjectAnswer[]>;
  /** The content of an object as a stream. */
  download(repositoryUrl: string, action: Action, signal: AbortSignal): Promise<Readable>;
  upload(
    repositoryUrl: string,
    answer: ObjectAnswer,
    content: () => Readable,
    signal: AbortSignal,
  ): Promise<void>;
};

/** Certificate files of Debian, Fedora, and macOS. */
const SYSTEM_CERTIFICATES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
];
const LFS_TYPE = 'application/vnd.git-lfs+json';
const MAX_WORDS = 300;

export function createLfsHost(
  options: Pick<GitOptions, 'remoteEnv' | 'remoteCredential'> & {
    privateHosts: readonly string[];
  },
): LfsHost {
  const origins = new Map<string, Promise<LfsOrigin>>();
  const makeOrigin = async (repositoryUrl: string, remote: URL): Promise<LfsOrigin> => {
    const env = { ...process.env, ...(await options.remoteEnv?.(repositoryUrl)) };
    const ca = await trustedCertificates(env);
    const agent = new Agent({ keepAlive: true, timeout: LFS_LIMITS.IDLE_TIMEOUT_MS, ca });
    return { remote, agent, ca, privateHosts: options.privateHosts };
  };
  const originOf = async (repositoryUrl: string): Promise<LfsOrigin> => {
    const remote = httpsUrl(repositoryUrl);
    if (remote === null) throw new WorkspaceError('repository_refused', NOT_HTTPS);
    const known = origins.get(remote.href) ?? makeOrigin(repositoryUrl, remote);
    origins.set(remote.href, known);
    known.catch(() => origins.delete(remote.href));
    return await known;
  };
  const credentialOf = async (
    repositoryUrl: string,
  ): Promise<GitCredential | RefusedCredential | null> =>
    (await options.remoteCredential?.(parseRepositoryUrl(repositoryUrl).url)) ?? null;
  return {
    unsupported: (repositoryUrl) => (httpsUrl(repositoryUrl) === null ? NOT_HTTPS : null),
    batch: async (repositoryUrl, operation, pointers, signal) => {
      const origin = await originOf(repositoryUrl);
      const objects = pointers.map(({ oid, sizeBytes }) => ({ oid, size: sizeBytes }));
      const credential = await credentialOf(repositoryUrl);
      const isRefused = credential !== null && 'refused' in credential;
      const answer = await lfsRequest(origin, batchAddress(origin.remote), {
        method: 'POST',
        headers: {
          accept: LFS_TYPE,
          'content-type': LFS_TYPE,
          ...(credential === null || isRefused ? {} : authorization(credential)),
        },
        body: toJson({ operation, transfers: ['basic'], objects, hash_algo: 'sha256' }),
        signal: within(signal, LFS_LIMITS.ASK_TIMEOUT_MS),
      });
      const text = await answerText(origin, answer);
      if (isRefused && [401, 403, 404].includes(answer.statusCode ?? 0)) throw notLetIn(credential);
      if (answer.statusCode !== 200)
        throw failureOf(origin, operation, answer.statusCode ?? 0, wordsOf(text));
      return objectAnswers(origin, operation, pointers, text);
    },
    download: async (repositoryUrl, action, signal) => {
      const origin = await originOf(repositoryUrl);
      const headers = { 'accept-encoding': 'identity', ...namedHeaders(action.header ?? {}) };
      const answer = await lfsRequest(origin, action.href, { method: 'GET', headers, signal });
      if (answer.statusCode === 200) return answer;
      throw failureOf(
        origin,
        'download',
        answer.statusCode ?? 0,
        wordsOf(await answerText(origin, answer)),
      );
    },
    upload: async (repositoryUrl, { pointer, upload, verify }, content, signal) => {
      if (upload === undefined || upload === null) return;
      const origin = await originOf(repositoryUrl);
      const put = await lfsRequest(origin, upload.href, {
        method: 'PUT',
        headers: {
          'content-type': 'application/octet-stream',
          ...namedHeaders(upload.header ?? {}),
          'content-length': String(pointer.sizeBytes),
        },
        body: content(),
        signal,
      });
      await assertTaken(origin, put);
      if (verify === undefined || verify === null) return;
      const asked = await lfsRequest(origin, verify.href, {
        method: 'POST',
        headers: {
          ...namedHeaders(verify.header ?? {}),
          accept: LFS_TYPE,
          'content-type': LFS_TYPE,
        },
        body: toJson({ oid: pointer.oid, size: pointer.sizeBytes }),
        signal: within(signal, LFS_LIMITS.ASK_TIMEOUT_MS),
      });
      await assertTaken(origin, asked);
    },
  };
}

function authorization({ username, password }: GitCredential): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** Certificates that host git trusts, and those of Node. */
async function trustedCertificates(env: NodeJS.ProcessEnv): Promise<string[]> {
  const named = [env['GIT_SSL_CAINFO'], env['SSL_CERT_FILE'], env['NODE_EXTRA_CA_CERTS']];
  const files = [
    ...named.filter((path) => path !== undefined && path !== ''),
    ...SYSTEM_CERTIFICATES,
  ];
  const texts = await Promise.all(
    files.map((path) => readFile(path ?? '', 'utf8').catch(() => '')),
  );
  return [...rootCertificates, ...texts.filter((text) => text !== '')];
}

const NOT_HTTPS = 'this runner asks for objects of Git LFS over https only';

function httpsUrl(repositoryUrl: string): URL | null {
  const { kind, url } = parseRepositoryUrl(repositoryUrl);
  if (kind !== 'https') return null;
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

/**
 * The batch address by git-lfs's default rule; `.lfsconfig` is ignored, because anybody who commits
 * can write it.
 */
function batchAddress(remote: URL): string {
  const url = new URL(remote);
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  url.pathname = `${path}.git/info/lfs/objects/batch`;
  url.search = '';
  return url.href;
}

function objectAnswers(
  origin: LfsOrigin,
  operation: Operation,
  pointers: readonly Pointer[],
  text: string,
): ObjectAnswer[] {
  const parsed = BatchAnswer.safeParse(jsonOf(text));
  const unreadable = (why: string): WorkspaceError =>
    new WorkspaceError('git_failed', `Git LFS of ${origin.remote.host} answered ${why}`);
  if (!parsed.success) throw unreadable('what the batch API does not know');
  const { transfer, hash_algo: algorithm, objects } = parsed.data;
  if ((transfer ?? 'basic') !== 'basic' || (algorithm ?? 'sha256') !== 'sha256')
    throw unreadable('with a transfer or hash algorithm that was not offered');
  const found = new Map(objects.map((object) => [object.oid, object]));
  return pointers.map((pointer) => {
    const object = found.get(pointer.oid);
    if (object === undefined || (object.error == null && object.size !== pointer.sizeBytes))
      return { pointer, failure: unreadable('nothing of this object, or another size') };
    if (object.error != null) {
      const { code, message } = object.error;
      return { pointer, failure: failureOf(origin, operation, code, message) };
    }
    const { download, upload, verify } = object.actions ?? {};
    if (operation === 'download' && download == null)
      return { pointer, failure: unreadable('no address of this object') };
    return {
      pointer,
      ...(download == null ? {} : { download }),
      ...(upload == null ? {} : { upload }),
      ...(verify == null ? {} : { verify }),
    };
  });
}

async function assertTaken(origin: LfsOrigin, answer: IncomingMessage): Promise<void> {
  const { statusCode: status = 0 } = answer;
  const text = await answerText(origin, answer);
  if (status < 200 || status >= 300) throw failureOf(origin, 'upload', status, wordsOf(text));
}

/** The error that a response means for the push or fetch. */
function failureOf(
  { remote }: LfsOrigin,
  operation: Operation,
  status: number,
  message: string,
): WorkspaceError {
  const answered = message === '' ? `answered ${status}` : `answered ${status}: ${plain(message)}`;
  const at = `Git LFS of ${remote.host} ${answered}`;
  if (status === 401 || status === 403) {
    const right = operation === 'upload' ? 'write' : 'read';
    return new WorkspaceError(
      'host_auth_failed',
      `${at} (its credentials need ${right} access to the repository and its LFS objects)`,
    );
  }
  if (status === 408 || status === 429 || (status >= 500 && ![501, 507, 509].includes(status)))
    return new WorkspaceError('host_unreachable', at);
  return new WorkspaceError(operation === 'upload' ? 'push_refused' : 'git_failed', at);
}

function plain(text: string): string {
  return cutText(redactUrls(plainText(text.replaceAll(/\s+/g, ' ').trim())), MAX_WORDS);
}

function wordsOf(text: string): string {
  const answer = z.object({ message: z.string() }).safeParse(jsonOf(text));
  return answer.success ? answer.data.message : '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function within(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
