import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandResult } from '../../container/container-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { EngineHome } from '../companions/engine-place.ts';
import { CONTAINER_HOME } from '../mounts/engine-home.ts';
import type { SessionFile } from './pack-session.ts';
import {
  MAX_SESSION_FILES,
  MAX_SESSION_PLAIN_BYTES,
  isSessionPath,
  packFiles,
  packSession,
} from './pack-session.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import { imageOf } from '../mounts/workspace-mounts.ts';

const PROGRAM = readShellProgram(new URL('./write-session.sh', import.meta.url));
/** Exit codes of the script. */
const EXIT = { read: 0, noFolder: 20, tooLarge: 21 };
const TIMEOUT_MS = 30_000;
const MIB = 1024 * 1024;
/** The container only reads and passes on. */
const RESOURCES = { memoryBytes: 128 * MIB, cpus: 1, pids: 32, tmpfsBytes: MIB };
/** Size and path of a file: longer than any accepted one. */
const MAX_HEADER_BYTES = 600;
const NEWLINE = 0x0a;

/**
 * Packs a thread's session while its agent may write there: read in a container that sees only the
 * home, read-only, so that no link leads to this host. Null when there is none or it is too large.
 * For a plain process the open folders are read directly.
 */
export async function packLiveSession(
  context: AttemptContext,
  home: EngineHome,
  threadId: string,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  if (context.deps.containers.isolation === 'process')
    return packSession(home.path, threadId, home.sessionsFolder.split('/'));
  const stdoutFile = join(
    context.deps.workspaces.paths.temporary,
    `session-${randomBytes(8).toString('hex')}`,
  );
  try {
    const result = await readInContainer(context, home, { threadId, stdoutFile, signal });
    if (!wasRead(result)) return null;
    return await packFiles(filesIn(await readFile(stdoutFile)));
  } finally {
    await rm(stdoutFile, { force: true });
  }
}

function readInContainer(
  context: AttemptContext,
  home: EngineHome,
  wanted: { threadId: string; stdoutFile: string; signal: AbortSignal },
): Promise<CommandResult> {
  const { threadId, stdoutFile, signal } = wanted;
  const folder = `${CONTAINER_HOME}/${home.sessionsFolder}`;
  const limits = [String(MAX_SESSION_FILES), String(MAX_SESSION_PLAIN_BYTES)];
  return context.deps.containers.run({
    owner: context.owner,
    purpose: 'session',
    image: imageOf(context),
    argv: ['sh', '-c', PROGRAM, 'session', folder, threadId, ...limits],
    env: { LC_ALL: 'C' },
    workingDirectory: '/',
    mounts: [{ hostPath: home.path, containerPath: CONTAINER_HOME, readOnly: true }],
    resources: RESOURCES,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_SESSION_PLAIN_BYTES + MAX_SESSION_FILES * MAX_HEADER_BYTES,
    stdoutFile,
    signal,
    runtime: context.spec.sandbox.runtime,
  });
}

function wasRead({ exitCode, timedOut, outputExceeded }: CommandResult): boolean {
  if (timedOut) throw new Error(`it was not read within ${TIMEOUT_MS / 1_000} s`);
  if (outputExceeded) throw new Error('it grew beyond its limit while it was read');
  if (exitCode === EXIT.noFolder || exitCode === EXIT.tooLarge) return false;
  if (exitCode !== EXIT.read) throw new Error(`reading it ended with status ${exitCode}`);
  return true;
}

/** Parses the script's output. An agent chose names and content, so each file is validated. */
export function filesIn(output: Buffer): SessionFile[] {
  const files: SessionFile[] = [];
  let at = 0;
  while (at < output.byteLength && files.length < MAX_SESSION_FILES) {
    const end = output.subarray(at, at + MAX_HEADER_BYTES).indexOf(NEWLINE);
    const header = end === -1 ? '' : output.toString('latin1', at, at + end);
    const [, size = '', path = ''] = /^(\d{1,12}) (.+)$/.exec(header) ?? [];
    const start = at + end + 1;
    const next = start + Number(size);
    if (size === '' || next > output.byteLength) throw new Error('what was read is damaged');
    if (isSessionPath(path)) files.push({ path, bytes: output.subarray(start, next) });
    at = next;
  }
  return files;
}
