import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serveGit } from '../../../../test/support/github/git-backend.ts';
import { selfSigned } from '../../../../test/support/github/self-signed.ts';

/** What a host answers to a push instead of taking it, when it is asked whether it may or when it comes. */
export type PushAnswer = {
  status: number;
  when: 'asked' | 'pushed';
  /** Plain words, which git shows as the remote's. */
  words?: string;
};

/** What a host answers, instead of a repository, to whoever fetches below a path. */
export type FetchAnswer = { status: number; location?: string };

/** A code host that serves every bare repository of a folder over https. */
export type GitHost = {
  /** Address of a repository by its path in the folder. */
  urlOf: (path: string) => string;
  /** For git, so that it trusts the certificate. */
  env: { GIT_SSL_CAINFO: string };
  /** Fetches go on; null: pushes are taken again. */
  answerPushes: (answer: PushAnswer | null) => void;
  answerFetches: (path: string, answer: FetchAnswer) => void;
  /** What was asked so far: paths with their queries. */
  requests: string[];
  close: () => Promise<void>;
};

export async function startGitHost(folder: string): Promise<GitHost> {
  const { key, cert, certPath } = await selfSigned(folder);
  let answer: PushAnswer | null = null;
  const answers = new Map<string, FetchAnswer>();
  const requests: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    const { url = '' } = request;
    requests.push(url);
    const other = [...answers].find(([path]) => url.startsWith(`/${path}/`))?.[1];
    if (other !== undefined) {
      const { status, location } = other;
      response.writeHead(status, location === undefined ? {} : { location }).end();
      return;
    }
    if (answer?.when !== stageOf(request)) {
      serveGit(folder, request, response).catch(() => response.destroy());
      return;
    }
    request.resume();
    const headers = { 'content-type': 'text/plain', 'www-authenticate': 'Basic realm="git"' };
    response.writeHead(answer.status, headers).end(answer.words ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (path) => `https://127.0.0.1:${port}/${path}`,
    env: { GIT_SSL_CAINFO: certPath },
    answerPushes: (next) => (answer = next),
    answerFetches: (path, next) => answers.set(path, next),
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function stageOf({ method, url = '' }: IncomingMessage): PushAnswer['when'] | null {
  if (method === 'POST') return url.endsWith('/git-receive-pack') ? 'pushed' : null;
  return url.includes('service=git-receive-pack') ? 'asked' : null;
}
