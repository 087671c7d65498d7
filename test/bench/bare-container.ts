import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { imageProgram } from '../../runner/src/engine/parts/image-program.ts';
import { IMAGE_BINARY_PATH } from '../../runner/src/engine/codex/launch-codex.ts';

const ANSWER_TIMEOUT_MS = 60_000;
const INSPECT_TIMEOUT_MS = 15_000;

/** Null when `docker run` can be measured here, else why not. */
export async function dockerCommandProblem(image: string): Promise<string | null> {
  try {
    await promisify(execFile)('docker', ['image', 'inspect', image], {
      timeout: INSPECT_TIMEOUT_MS,
    });
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return 'the docker command is missing';
    }
    return `no image ${image}: run npm run sandbox:build`;
  }
}

/**
 * The least that anybody could do: `docker run -i` of the same image with the engine alone, until
 * the engine answers `initialize`. Nothing is mounted, limited or locked. Milliseconds.
 */
export async function timeBareContainer(image: string, engine = 'codex'): Promise<number> {
  const [program = '', ...words] =
    engine === 'codex' ? [IMAGE_BINARY_PATH, 'app-server'] : imageProgram(engine);
  const startedAtMs = performance.now();
  const child = spawn('docker', ['run', '-i', '--rm', '--entrypoint', program, image, ...words], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: ANSWER_TIMEOUT_MS,
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  const clientInfo = { name: 'bench', title: null, version: '1' };
  const params = { clientInfo, protocolVersion: 1, clientCapabilities: {} };
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  let answeredMs: number | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!isAnswer(line)) continue;
    answeredMs = performance.now() - startedAtMs;
    break;
  }
  child.stdin.end();
  child.stdout.resume();
  await ended;
  if (answeredMs === null) throw new Error('docker run ended without an answer to initialize');
  return answeredMs;
}

function isAnswer(line: string): boolean {
  const message: unknown = JSON.parse(line);
  return typeof message === 'object' && message !== null && 'id' in message && message.id === 1;
}
