import { spawn } from 'node:child_process';
import { execFile } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Serves bare repositories below a folder through git's own smart HTTP program, as CGI. */
export async function serveGit(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      // Smart HTTP takes pushes of named users only.
      REMOTE_USER: 'fake',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  // A client that goes away shows in the answer, not here.
  child.stdin.on('error', () => child.kill());
  const parts: Buffer[] = [];
  for await (const part of child.stdout) parts.push(part as Buffer);
  const output = Buffer.concat(parts);
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .subarray(0, end)
    .toString()
    .split('\r\n')
    .map((line) => line.split(/:\s*/, 2) as [string, string]);
  const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
  for (const [name, value] of headers) {
    if (name.toLowerCase() !== 'status') response.setHeader(name, value);
  }
  response.writeHead(Number.parseInt(status, 10)).end(output.subarray(end + 4));
}

/** Runs git in a bare repository and answers its trimmed output; null when it fails. */
export async function gitIn(path: string, ...args: string[]): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', path, ...args], { timeout: 20_000 });
    return stdout.trim();
  } catch {
    return null;
  }
}
