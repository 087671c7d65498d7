import { randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { EVERYWHERE, type ListeningPort, listPorts } from './list-ports.ts';

/** What debuggers, runtimes and development servers answer on, beside what a browser asks for. */
const PATHS = [
  '/',
  '/json',
  '/json/list',
  '/json/version',
  '/ws',
  '/core:user:switchyard',
  '/__scheduled',
  '/__cf_local/stream',
  '/cdn-cgi/explorer',
  '/cdn-cgi/explorer/api/local/workers',
  '/cdn-cgi/local/explorer',
  '/cdn-cgi/local/explorer/api/local/workers',
  '/cdn-cgi/local/scheduled',
  '/cdn-cgi/local/email',
  '/cdn-cgi/local/platform-proxy',
  '/cdn-cgi/handler/scheduled',
  '/cdn-cgi/mf/scheduled',
  '/cdn-cgi/mf/reload',
  '/cdn-cgi/ProxyWorker/play',
  '/cdn-cgi/InspectorProxyWorker/websocket',
];
/** Where databases and model providers take work. */
const POSTED = [
  { path: '/v2/pipeline', body: '{"requests":[{"type":"execute","stmt":{"sql":"SELECT 1"}}]}' },
  { path: '/v1/responses', body: '{"model":"scripted-model","input":"hello"}' },
  { path: '/v1/chat/completions', body: '{"model":"scripted-model","messages":[]}' },
];
/** First words to a debugger and to a database; neither has a token. */
const FIRST_WORDS = [
  '{"id":1,"method":"Runtime.evaluate","params":{"expression":"1 + 1"}}',
  '{"type":"hello","jwt":null}',
];
/** Answered to everybody, by design. */
const PUBLIC_PATH = '/healthz';
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
const STRANGE = { origin: 'https://stranger.example' };
const ANSWER_TIMEOUT_MS = 60_000;
const SHOWN_CHARS = 60;
const MAX_ANSWER_CHARS = 200_000;
const TEXT_FRAME = 0x81;
const CLOSE_FRAME = 0x88;
const MASKED = 0x80;

type Place = { host: string; port: number };
type Question = {
  path: string;
  method?: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** What is said over a WebSocket, once it is open. */
  firstText?: string;
};
type Answer = { status: number; text: string; headers: IncomingHttpHeaders };

/** Who listens, and what each says to somebody without a token that it should not. */
export type Openings = { listeners: string[]; problems: string[] };

/**
 * Asks every port of a running program as a stranger would: over HTTP, for a WebSocket and as a
 * proxy, with and without headers of a foreign page. At `service`, only its health and the
 * dashboard's page are public; anywhere else nothing is.
 */
export async function askAsStranger(given: {
  pid: number;
  dataDir: string;
  service: string;
  secrets: readonly (string | undefined)[];
}): Promise<Openings> {
  const ports = await listPorts(given.pid, given.dataDir);
  const service = new URL(given.service);
  const secrets = given.secrets.filter((secret) => secret !== undefined && secret !== '');
  const problems = await Promise.all(
    ports.map((one) => problemsOf(one, { service, secrets: secrets.map(String) })),
  );
  return {
    listeners: ports.map(({ program, address }) => `${program} at ${address}`).toSorted(),
    problems: problems.flat(),
  };
}

async function problemsOf(
  { program, address, port }: ListeningPort,
  { service, secrets }: { service: URL; secrets: readonly string[] },
): Promise<string[]> {
  const place = { host: address === EVERYWHERE ? '127.0.0.1' : address, port };
  const isService = String(port) === service.port;
  const page = isService ? await ask(place, { path: '/' }) : null;
  const problems = new Set<string>();
  for (const question of questionsFor(service, { isService })) {
    const answer = await ask(place, question);
    // Who knows no tunnels may hang up.
    if (answer === null && question.method === 'CONNECT') continue;
    if (answer === null) return [`${program} speaks something else than HTTP`];
    const isSocket = question.firstText !== undefined;
    const what = `${program} ${isSocket ? 'WebSocket' : (question.method ?? 'GET')} ${question.path}`;
    const all = JSON.stringify(answer);
    if (secrets.some((secret) => all.includes(secret))) problems.add(`${what}: a secret`);
    const isMeant = isService && isPublic(question.path, answer, page);
    if (!isMeant && !isRefusal(answer)) problems.add(`${what}: ${shownOf(answer)}`);
  }
  return [...problems];
}

function questionsFor({ host }: URL, { isService }: { isService: boolean }): Question[] {
  // How the service judges names of hosts is a matter of its own tests.
  const callers = [{}, STRANGE, ...(isService ? [] : [{ ...STRANGE, host: 'stranger.example' }])];
  const paths = isService ? [...PATHS, PUBLIC_PATH] : PATHS;
  const questions = callers.flatMap((headers) => [
    ...paths.map((path) => ({ path, headers })),
    ...paths.flatMap((path) =>
      FIRST_WORDS.map((firstText) => ({
        path,
        firstText,
        headers: { ...headers, ...UPGRADE, 'sec-websocket-key': key() },
      })),
    ),
    ...POSTED.map(({ path, body }) => ({
      path,
      body,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    })),
  ]);
  if (isService) return questions;
  const proxied = { path: `http://${host}${PUBLIC_PATH}` };
  return [...questions, proxied, { path: host, method: 'CONNECT' }];
}

/** The one page of the dashboard stands at every address that is none of a file. */
function isPublic(path: string, answer: Answer, page: Answer | null): boolean {
  return answer.status === 200 && (path === PUBLIC_PATH || answer.text === page?.text);
}

/** An open WebSocket is none, unless its first words are an error or its end. */
function isRefusal({ status, text }: Answer): boolean {
  return status >= 400 || (status === 101 && (text === '' || /"(hello_)?error"/.test(text)));
}

function shownOf({ status, text }: Answer): string {
  return `${status} ${text.replaceAll(/\s+/g, ' ').slice(0, SHOWN_CHARS)}`.trim();
}

function key(): string {
  return randomBytes(16).toString('base64');
}

/** Null when what answers is no HTTP. */
function ask(place: Place, question: Question): Promise<Answer | null> {
  const { path, method = 'GET', body, headers, firstText = '' } = question;
  return new Promise((resolve) => {
    const asking = request({
      ...place,
      path,
      method,
      agent: false,
      timeout: ANSWER_TIMEOUT_MS,
      headers: { accept: 'text/html, */*', ...headers },
    });
    asking.on('error', () => resolve(null));
    asking.on('timeout', () => asking.destroy(new Error('it does not answer')));
    asking.on('connect', (response, socket: Duplex) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: '', headers: response.headers });
    });
    asking.on('upgrade', (response, socket: Duplex, head: Buffer) => {
      const answer = (text: string) => resolve({ status: 101, text, headers: response.headers });
      void exchange(socket, head, firstText).then(answer);
    });
    asking.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < MAX_ANSWER_CHARS) text += chunk;
      });
      response.on('error', () => resolve(null));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    asking.end(body);
  });
}

/** Says one thing over an open WebSocket; what comes back, empty when it is closed. */
function exchange(socket: Duplex, head: Buffer, words: string): Promise<string> {
  return new Promise((resolve) => {
    const done = (text: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(done, ANSWER_TIMEOUT_MS, 'it stays open');
    const read = (bytes: Buffer) => done(bytes[0] === CLOSE_FRAME ? '' : bytes.toString());
    socket.on('error', () => done(''));
    socket.on('close', () => done(''));
    socket.once('data', read);
    if (head.length > 0) read(head);
    const noMask = Buffer.alloc(4);
    const frame = Buffer.from([TEXT_FRAME, MASKED | Buffer.byteLength(words)]);
    socket.write(Buffer.concat([frame, noMask, Buffer.from(words)]));
  });
}
