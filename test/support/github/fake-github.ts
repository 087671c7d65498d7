import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeCredentials } from './fake-credentials.ts';
import type { FakeProject } from './fake-projects.ts';
import { FakeLimits } from './fake-limits.ts';
import { mayDo } from './fake-permissions.ts';
import { answerApi } from './fake-routes.ts';
import { type FakeHook, type FakeRepository, newRepository } from './fake-state.ts';
import { gitIn, serveGit } from './git-backend.ts';
import { GitHubDescription } from './github-description.ts';
import { selfSigned, type SelfSigned } from './self-signed.ts';

export type LoggedRequest = {
  method: string;
  path: string;
  status: number;
  /** As it went out: 304 where the asker had it already. */
  sent?: number;
  body: string;
  authorization: string | null;
};

/** What goes wrong with requests that match; consumed `times` times. */
export type Trouble = {
  match: RegExp;
  times: number;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  delayMs?: number;
  /** Cuts the connection. */
  cut?: boolean;
};

export type FakeAnswer = {
  status: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
};

const MAX_BODY_BYTES = 2 * 1_048_576;

/** A GitHub of its own: REST over HTTP, git over HTTPS, both on loopback. */
export class FakeGitHub {
  readonly credentials = new FakeCredentials();
  readonly requests: LoggedRequest[] = [];
  /** Rows of a page. */
  pageSize = 100;
  /** The App's own webhook, and how its deliveries were answered, newest first. */
  appHook: { url: string | null; statusCodes: number[] } = { url: null, statusCodes: [] };
  /** Null: the token may not see them. */
  organisationHooks: FakeHook[] | null = null;
  /** Further pages are refused. */
  maxPages = 100;
  readonly limits = new FakeLimits();
  /** What was asked or answered otherwise than GitHub describes it; makes `close` throw. */
  readonly problems = new Set<string>();
  /** Told of every request before it is answered: what people do in between. */
  onRequest: (line: string) => void = () => {};
  /** Issues and their labels stay as they are, though a change is answered like any other. */
  ignoresChanges = false;
  /** Changes what an answer holds before it is sent: records that nobody described. */
  spoil: (body: never, line: string) => void = () => {};
  /** Where states of issues may stand. */
  project: FakeProject | null = null;
  readonly #troubles: Trouble[] = [];
  readonly #repositories = new Map<string, FakeRepository>();
  readonly #api: Server;
  readonly #git: SecureServer;
  readonly #root: string;
  /** Null: it is not at hand, and nothing is held against it. */
  readonly #described: GitHubDescription | null;
  readonly certPath: string;
  #ids = 100;

  static async start({ isDescribed = true } = {}): Promise<FakeGitHub> {
    const root = await mkdtemp(join(tmpdir(), 'swy-github-'));
    const described = isDescribed ? await GitHubDescription.published() : null;
    const fake = new FakeGitHub(root, await selfSigned(root), described);
    await listening(fake.#api);
    await listening(fake.#git);
    return fake;
  }

  private constructor(root: string, signed: SelfSigned, described: GitHubDescription | null) {
    this.#root = root;
    this.#described = described;
    this.certPath = signed.certPath;
    this.#api = createServer((request, response) => void this.#serveApi(request, response));
    this.#git = createSecureServer(
      signed,
      (request, response) => void this.#gitRequest(request, response),
    );
  }

  /** For `codehost.github.endpoint`. */
  get apiUrl(): string {
    return `http://127.0.0.1:${portOf(this.#api)}/api/v3`;
  }

  /** For `codehost.github.url` and clone addresses. */
  get webUrl(): string {
    return `https://127.0.0.1:${portOf(this.#git)}`;
  }

  /** Folder whose `owner/name.git` are served. */
  get gitRoot(): string {
    return this.#root;
  }

  urlOf(repository: FakeRepository): string {
    return `${this.webUrl}/${repository.owner}/${repository.name}.git`;
  }

  /** With `git`, a bare repository at `<gitRoot>/owner/name.git` is expected. */
  addRepository(owner: string, name: string, options: { git?: boolean } = {}): FakeRepository {
    const path = options.git === true ? join(this.#root, owner, `${name}.git`) : null;
    const repository = newRepository(this.nextId(), owner, name, path);
    this.#repositories.set(`${owner}/${name}`.toLowerCase(), repository);
    return repository;
  }

  repository(owner: string, name: string): FakeRepository | undefined {
    return this.#repositories.get(`${owner}/${name}`.toLowerCase());
  }

  repositoryById(id: number): FakeRepository | undefined {
    return [...this.#repositories.values()].find((one) => one.id === id);
  }

  /** The old name leads to the new one. */
  rename(repository: FakeRepository, name: string): void {
    repository.name = name;
    this.#repositories.set(`${repository.owner}/${name}`.toLowerCase(), repository);
  }

  /** Where the log of a job lies: on another host. */
  logUrl(id: number): string {
    return `http://localhost:${portOf(this.#api)}/logs/${id}`;
  }

  nextId(): number {
    return (this.#ids += 1);
  }

  /** Where a branch stands; null when it does not exist. */
  async head(repository: FakeRepository, branch: string): Promise<string | null> {
    const named = repository.branches.get(branch);
    if (repository.gitPath === null || named !== undefined) return named ?? null;
    return gitIn(repository.gitPath, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
  }

  makeTrouble(trouble: Trouble): void {
    this.#troubles.push(trouble);
  }

  async close(): Promise<void> {
    for (const server of [this.#api, this.#git]) {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
    await rm(this.#root, { recursive: true, force: true, maxRetries: 3 });
    const problems = [...this.problems];
    if (problems.length > 0) throw new Error(`not as described:\n${problems.join('\n')}`);
  }

  async #serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = await bodyOf(request);
    const entry: LoggedRequest = {
      method,
      path: url,
      body,
      status: 0,
      authorization: request.headers.authorization ?? null,
    };
    this.requests.push(entry);
    this.onRequest(`${method} ${url}`);
    try {
      if (url.startsWith('/logs/')) return this.#sendLog(request, response, entry);
      const trouble = this.#takeTrouble(`${method} ${url}`);
      if (trouble?.delayMs !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, trouble.delayMs));
      }
      if (trouble?.cut === true) return void request.socket.destroy();
      const answer =
        trouble?.status === undefined
          ? await answerApi(this, {
              method,
              url,
              body,
              authorization: request.headers.authorization,
            })
          : { status: trouble.status, text: trouble.body ?? '{}', headers: trouble.headers ?? {} };
      entry.status = answer.status;
      if (trouble?.status === undefined) this.#hold(entry, answer);
      entry.sent = send(request, response, this.#spoiled(answer, `${method} ${url}`));
    } catch (error) {
      entry.status = 500;
      response.writeHead(500).end(JSON.stringify({ message: String(error) }));
    }
  }

  /** A store takes one way of signing only, which stands in the address. */
  #sendLog(request: IncomingMessage, response: ServerResponse, entry: LoggedRequest): void {
    const id = Number(entry.path.slice('/logs/'.length));
    const found = [...this.#repositories.values()]
      .flatMap(({ checks }) => checks)
      .find((check) => check.id === id);
    const isSigned = request.headers.authorization !== undefined;
    entry.status = found === undefined ? 404 : isSigned ? 400 : 200;
    response.writeHead(entry.status).end(entry.status === 200 ? found?.log : '');
  }

  #spoiled(answer: FakeAnswer, line: string): FakeAnswer {
    if (answer.body === undefined) return answer;
    const body = JSON.parse(JSON.stringify(answer.body)) as never;
    this.spoil(body, line);
    return { ...answer, body };
  }

  #hold({ method, path, body }: LoggedRequest, answer: FakeAnswer): void {
    const sent = { method, path: path.slice('/api/v3'.length), body };
    // Addresses by id are none that anybody writes down: they come with a redirect.
    if (!path.startsWith('/api/v3/') || sent.path.startsWith('/repositories/')) return;
    const problems = this.#described?.problemsOfExchange(sent, answer) ?? [];
    for (const text of problems) this.problems.add(`${method} ${sent.path}: ${text}`);
  }

  #takeTrouble(line: string): Trouble | undefined {
    const trouble = this.#troubles.find(({ match, times }) => times > 0 && match.test(line));
    if (trouble !== undefined) trouble.times -= 1;
    return trouble;
  }

  async #gitRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const basic = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString();
    const password = basic.slice(basic.indexOf(':') + 1);
    const grant = this.credentials.grantOf(password);
    const name = /^\/([^/]+\/[^/]+?)\.git(?:\/|$)/.exec(url)?.[1]?.toLowerCase();
    const isAllowed =
      grant !== null &&
      mayDo(grant, ['contents=write']) &&
      (grant.repositories === null || grant.repositories.has(name ?? ''));
    const authorization = request.headers.authorization ?? null;
    const entry: LoggedRequest = {
      method,
      path: url,
      status: isAllowed ? 200 : 401,
      body: '',
      authorization,
    };
    this.requests.push(entry);
    const trouble = this.#takeTrouble(`git ${method} ${url}`);
    if (trouble?.status !== undefined) return void response.writeHead(trouble.status).end();
    if (isAllowed) return serveGit(this.#root, request, response);
    request.resume();
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="GitHub"' }).end();
  }
}

function send(request: IncomingMessage, response: ServerResponse, answer: FakeAnswer): number {
  const text = answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body));
  const etag = `"${createHash('sha256').update(text).digest('hex')}"`;
  const isSame = request.method === 'GET' && request.headers['if-none-match'] === etag;
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-RateLimit-Remaining': '4999',
    ...(request.method === 'GET' && answer.status === 200 ? { ETag: etag } : {}),
    ...answer.headers,
  };
  // Where the next page is, an answer without a body does not say again.
  const { Link: _, ...unchanged } = headers as Record<string, string>;
  if (isSame) response.writeHead(304, unchanged).end();
  else response.writeHead(answer.status, headers).end(text);
  return isSame ? 304 : answer.status;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw new RangeError('the request is too long');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString();
}

function listening(server: Server | SecureServer): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

function portOf(server: Server | SecureServer): number {
  return (server.address() as AddressInfo).port;
}
