import type { GitHindrance } from '@switchyard/shared/api/git-hindrance';
import { cutText, textTail } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { ASKPASS, askpassAccess, type GitCredential } from './askpass.ts';
import { assertLetIn, type RefusedCredential } from './host/refused-credential.ts';
import { gitConfigText } from './git-config-text.ts';
import { type GitLimits, READ_LIMITS, limitReached } from './git-limits.ts';
import { hostTrouble } from './host/host-trouble.ts';
import type { ProcessLimits } from './limited-command.ts';
import { type GitProgress, readProgress, withoutProgress } from './git-progress.ts';
import { redactUrls } from './redact-urls.ts';
import type { HostProcess, HostProcessResult, ProcessInput } from './run-process.ts';
import { runProcess } from './run-process.ts';
import { withoutRedirects } from './host/without-redirects.ts';
import type { AllowedFolders } from './local-remotes/allowed-folders.ts';
import { assertPushTrusted } from './local-remotes/assert-push-trusted.ts';
import { findHindrance } from './local-remotes/find-hindrance.ts';
import { type OpenRepository, withRepository } from './local-remotes/open-repository.ts';
import {
  runsHooks,
  servedArguments,
  servedEnvironment,
  SERVE_FOLDER,
} from './local-remotes/serve-folder.ts';
import { parseRepositoryUrl } from './repository-url.ts';
import { WorkspaceError } from '../workspace.ts';

export type GitCommand = {
  args: readonly string[];
  /** What a person calls this step, for messages. Default: git's own name for it, the first word. */
  purpose?: string;
  /** A bare repository of the runner's own. Never an agent's workspace. */
  gitDir?: string;
  /** Set when the command talks to this remote: its credentials are added to the environment. */
  remoteUrl?: string;
  /** No credentials all the same, and no other host: redirects are not followed. */
  anonymous?: boolean;
  env?: Readonly<Record<string, string>>;
  input?: ProcessInput;
  /** Default 60 s. */
  timeoutMs?: number;
  /** Default 8 MiB. */
  maxOutputBytes?: number;
  /** Keep what was read instead of failing when output passes maxOutputBytes. */
  truncate?: boolean;
  /** Default READ_LIMITS. */
  limits?: GitLimits;
  /** Exit codes that are answers, not failures. Default: only 0. */
  okExitCodes?: readonly number[];
  signal?: AbortSignal;
  /** Hears how far it is, for commands with `--progress`. */
  onProgress?: (progress: GitProgress) => void;
};

export type GitResult = { exitCode: number; stdout: string; stderr: string; truncated: boolean };

export type Git = {
  /**
   * Rejects with WorkspaceError and git's own last lines: `host_unreachable` or `host_auth_failed`
   * where the remote's host is the trouble, `limit_exceeded` where it took more than it may, else
   * `git_failed`.
   */
  run(command: GitCommand): Promise<GitResult>;
  /** Standard output as it came. Rejects as `run` does, also when it is cut. */
  readBytes(command: Omit<GitCommand, 'truncate'>): Promise<Buffer>;
  /** Throws `repository_refused` for a remote that no command may talk to. Asks no remote. */
  assertAllowed(remoteUrl: string): Promise<void>;
  /** What a remote of this host refuses that work needs; null: nothing, or it lies elsewhere. */
  hindrance(remoteUrl: string, branch: string): Promise<GitHindrance | null>;
};

export type GitOptions = {
  /** Folder owned by the runner; holds the one configuration file that git reads. */
  homePath: string;
  /** Default: `git` from PATH. */
  gitPath?: string;
  /** Where repositories of this host may lie. Left out: nowhere. */
  folders?: AllowedFolders;
  /**
   * Environment for one remote, for example an askpass program and what it needs. Credentials
   * travel only here: never in a URL and never in arguments.
   */
  remoteEnv?: (remoteUrl: string) => Promise<Readonly<Record<string, string>>>;
  /** User and password for one remote, asked for right before git needs them; null: none. */
  remoteCredential?: (remoteUrl: string) => Promise<GitCredential | RefusedCredential | null>;
};

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_OUTPUT_BYTES = 8 * 1024 * 1024;
const MESSAGE_CHARACTERS = 1_500;
/** What a shell answers for a program that it cannot run or find; git has other codes. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
/** Inherited as they are: how the host finds programs, proxies, certificates and its ssh agent. */
const INHERITED = [
  'PATH', 'TMPDIR', 'SSH_AUTH_SOCK', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO',
  'http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'ALL_PROXY', 'all_proxy',
]; // prettier-ignore

/**
 * Host git for mirrors and remotes. It sees neither the system's nor the user's configuration,
 * runs no hook, asks nothing, and speaks only https, ssh and, below allowed folders, file. There the
 * remote side is the owner's: `serve-folder.ts`.
 */
export async function createGit(options: GitOptions): Promise<Git> {
  const { homePath } = options;
  await mkdir(homePath, { recursive: true, mode: 0o700 });
  const configPath = await replaceFile(join(homePath, 'gitconfig'), gitConfigText, 0o600);
  const askpassPath = await replaceFile(join(homePath, 'askpass'), ASKPASS, 0o700);
  const serveFolderPath = await replaceFile(join(homePath, 'serve-folder'), SERVE_FOLDER, 0o700);
  const baseEnv = environment(homePath, configPath);
  const allowed = (): AllowedFolders => {
    if (options.folders !== undefined) return options.folders;
    throw new WorkspaceError('repository_refused', 'this git reaches no repository on its host');
  };
  const execute = (command: GitCommand): Promise<Judged> => {
    const { remoteUrl, anonymous, env } = command;
    if (anonymous !== true || remoteUrl === undefined) return executeAt(command);
    return withoutRedirects(remoteUrl, (settings) =>
      executeAt({ ...command, env: { ...env, ...settings } }),
    );
  };
  const executeAt = async (command: GitCommand): Promise<Judged> => {
    const path = localPath(command.remoteUrl);
    if (path === null) return executeWith(command, null);
    return withRepository(allowed(), path, (repository) => executeWith(command, repository));
  };
  /** With a repository of this host, which is what the command talks to. */
  const executeWith = async (
    command: GitCommand,
    repository: OpenRepository | null,
  ): Promise<Judged> => {
    const remoteEnv =
      command.remoteUrl === undefined ? {} : await options.remoteEnv?.(command.remoteUrl);
    const credential = await credentialFor(options, command);
    const access =
      credential === null || 'refused' in credential || command.remoteUrl === undefined
        ? null
        : askpassAccess(askpassPath, command.remoteUrl, credential);
    const timeoutMs = command.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const limits = {
      ...(command.limits ?? READ_LIMITS),
      cpuSeconds: Math.ceil(timeoutMs / 1000),
    };
    const served =
      repository === null
        ? null
        : {
            args: servedArguments(serveFolderPath, command.args),
            env: servedEnvironment(repository),
            descriptor4: repository.descriptor,
          };
    const env = { ...baseEnv, ...remoteEnv, ...access?.env, ...command.env, ...served?.env };
    if (repository !== null && runsHooks(command.args)) {
      const at = { env, cwd: options.homePath };
      await assertPushTrusted(allowed(), repository, { program: serveFolderPath, ...at });
    }
    const result = await start({
      file: options.gitPath ?? 'git',
      args: gitArguments({ ...command, args: served?.args ?? command.args }),
      env,
      cwd: options.homePath,
      timeoutMs,
      limits,
      maxOutputBytes: command.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES,
      ...(command.input === undefined ? {} : { input: command.input }),
      ...(access === null ? {} : { descriptor3: access.secret }),
      ...(served === null ? {} : { descriptor4: served.descriptor4 }),
      ...(command.signal === undefined ? {} : { signal: command.signal }),
      ...(command.onProgress === undefined ? {} : { onStderr: readProgress(command.onProgress) }),
    });
    if (credential !== null && 'refused' in credential && command.remoteUrl !== undefined) {
      assertLetIn(command.remoteUrl, result, credential);
    }
    return judge(command, { timeoutMs, limits }, result);
  };
  return {
    run: async (command) => {
      const { stdout, ...result } = await execute(command);
      return { ...result, stdout: stdout.toString('utf8') };
    },
    readBytes: async (command) => (await execute(command)).stdout,
    assertAllowed: async (remoteUrl) => {
      const path = localPath(remoteUrl);
      if (path === null) return;
      await withRepository(allowed(), path, () => Promise.resolve()).catch((error: unknown) => {
        const isAway = error instanceof WorkspaceError && error.code === 'repository_missing';
        if (!isAway) throw error;
      });
    },
    hindrance: async (remoteUrl, branch) => {
      const path = localPath(remoteUrl);
      if (path === null) return null;
      return withRepository(allowed(), path, (repository) => {
        const env = { ...baseEnv, ...servedEnvironment(repository) };
        const at = { program: serveFolderPath, env, cwd: options.homePath };
        return findHindrance(allowed(), repository, at, branch);
      });
    },
  };
}

/** The path of a remote on this host; null for any other. */
function localPath(remoteUrl: string | undefined): string | null {
  if (remoteUrl === undefined || !/^file:/i.test(remoteUrl)) return null;
  const url = parseRepositoryUrl(remoteUrl);
  return url.kind === 'file' ? url.path : null;
}

type Judged = Omit<GitResult, 'stdout'> & { stdout: Buffer };

/** Only for https: ssh has keys of its own, and files need none. */
async function credentialFor(
  { remoteCredential }: GitOptions,
  { remoteUrl, ...command }: GitCommand,
): Promise<GitCredential | RefusedCredential | null> {
  if (remoteCredential === undefined || remoteUrl === undefined) return null;
  if (command.anonymous === true) return null;
  if (!/^https:/i.test(remoteUrl)) return null;
  try {
    return await remoteCredential(remoteUrl);
  } catch (error) {
    const words = messageOf(error);
    const isFinal = error instanceof Error && 'code' in error && error.code === 'host_auth_failed';
    throw new WorkspaceError(
      isFinal ? 'host_auth_failed' : 'host_unreachable',
      `git ${purposeOf(command)} has no credentials: ${cutText(words, MESSAGE_CHARACTERS)}`,
    );
  }
}

function purposeOf({ purpose, args }: Pick<GitCommand, 'purpose' | 'args'>): string {
  return purpose ?? args[0] ?? '';
}

async function start(command: HostProcess): Promise<HostProcessResult> {
  try {
    return await runProcess(command);
  } catch (error) {
    throw notStarted(String(error));
  }
}

function notStarted(why: string): WorkspaceError {
  return new WorkspaceError('git_failed', `git cannot be started: ${why}`);
}

/** The last lines of what git said, without credentials, at most 1,500 characters. */
export function lastMessage(stderr: string): string {
  // A remote writes part of this: terminal escapes and other control characters are dropped. What
  // joins letters and emoji stays: names have it.
  const text = withoutProgress(stderr.replaceAll('\r', '\n')).replaceAll(
    /[^\P{C}\n\t\u200c\u200d]/gu,
    '',
  );
  return textTail(redactUrls(text.trim()), MESSAGE_CHARACTERS);
}

function gitArguments(command: GitCommand): string[] {
  const gitDir = command.gitDir === undefined ? [] : [`--git-dir=${command.gitDir}`];
  return ['--no-pager', ...gitDir, ...command.args];
}

function judge(
  command: GitCommand,
  { timeoutMs, limits }: { timeoutMs: number; limits: ProcessLimits },
  result: HostProcessResult,
): Judged {
  const fail = (why: string, code: WorkspaceError['code'] = 'git_failed'): never => {
    throw new WorkspaceError(code, `git ${purposeOf(command)} ${why}`);
  };
  const { outputExceeded, stdout } = result;
  if (result.timedOut) fail(`took longer than ${Math.round(timeoutMs / 1000)} s and was stopped`);
  if (result.aborted) fail('was cancelled');
  if (outputExceeded && command.truncate !== true)
    fail('printed more than allowed', 'limit_exceeded');
  const limit = outputExceeded ? null : limitReached(result, limits);
  if (limit !== null) fail(`${limit} and was stopped`, 'limit_exceeded');
  const exitCode = outputExceeded ? 0 : (result.exitCode ?? 128);
  const words = lastMessage(result.stderr);
  if (NOT_STARTED.has(exitCode)) throw notStarted(words);
  if (!(command.okExitCodes ?? [0]).includes(exitCode)) {
    const trouble = command.remoteUrl === undefined ? null : hostTrouble(command.remoteUrl, words);
    fail(`failed: ${words || `exit code ${exitCode}`}`, trouble ?? 'git_failed');
  }
  return { exitCode, stdout, stderr: words, truncated: outputExceeded };
}

function environment(homePath: string, configPath: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: homePath,
    XDG_CONFIG_HOME: homePath,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: configPath,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=20',
  };
}

/** A git that starts meanwhile finds the old file or the new one, whole. */
async function replaceFile(path: string, text: string, mode: number): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
  return path;
}
