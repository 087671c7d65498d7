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
  /** Name of the step for messages. Default: the first word, git's own name. */
  purpose?: string;
  /** A bare repository of the runner's own. Never an agent's workspace. */
  gitDir?: string;
  /** The remote of the command, whose credentials are added to the environment. */
  remoteUrl?: string;
  /** Use no credentials and follow no redirects, so that no other host is contacted. */
  anonymous?: boolean;
  env?: Readonly<Record<string, string>>;
  input?: ProcessInput;
  /** Default 60 s. */
  timeoutMs?: number;
  /** Default 8 MiB. */
  maxOutputBytes?: number;
  /** Keep truncated output instead of failing when it exceeds maxOutputBytes. */
  truncate?: boolean;
  /** Default READ_LIMITS. */
  limits?: GitLimits;
  /** Exit codes that are regular results. Default: only 0. */
  okExitCodes?: readonly number[];
  signal?: AbortSignal;
  /** Called with the progress of commands with `--progress`. */
  onProgress?: (progress: GitProgress) => void;
};

export type GitResult = { exitCode: number; stdout: string; stderr: string; truncated: boolean };

export type Git = {
  /**
   * Runs a command. Rejects with WorkspaceError and git's last lines: `host_unreachable` or
   * `host_auth_failed` for failures of the remote's host, `limit_exceeded` when a limit was
   * reached, else `git_failed`.
   */
  run(command: GitCommand): Promise<GitResult>;
  /** Unmodified standard output. Rejects as `run` does, also when it is truncated. */
  readBytes(command: Omit<GitCommand, 'truncate'>): Promise<Buffer>;
  /** Throws `repository_refused` for a remote that no command may use. Sends no request. */
  assertAllowed(remoteUrl: string): Promise<void>;
  /**
   * What a repository on this host would refuse although work needs it; null: nothing, or it is
   * elsewhere.
   */
  hindrance(remoteUrl: string, branch: string): Promise<GitHindrance | null>;
};

export type GitOptions = {
  /** Folder of the runner with the one configuration file that git reads. */
  homePath: string;
  /** Default: `git` from PATH. */
  gitPath?: string;
  /** Folders of this host in which repositories are allowed. Left out: none. */
  folders?: AllowedFolders;
  /**
   * Environment for one remote, such as an askpass program and its parameters. Credentials are
   * passed only here or by `remoteCredential`, never in a URL or in arguments.
   */
  remoteEnv?: (remoteUrl: string) => Promise<Readonly<Record<string, string>>>;
  /** User and password for one remote, requested right before git needs them; null: none. */
  remoteCredential?: (remoteUrl: string) => Promise<GitCredential | RefusedCredential | null>;
};

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_OUTPUT_BYTES = 8 * 1024 * 1024;
const MESSAGE_CHARACTERS = 1_500;
/** A shell's exit codes for a program that cannot be run or found; git uses others. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
/** Inherited variables: search path, proxies, certificates and the ssh agent. */
const INHERITED = [
  'PATH', 'TMPDIR', 'SSH_AUTH_SOCK', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO',
  'http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'ALL_PROXY', 'all_proxy',
]; // prettier-ignore

/**
 * Creates git for mirrors and remotes on the host. It ignores system and user configuration, runs
 * no hook, asks nothing, and uses only https, ssh and, below allowed folders, file. There the
 * remote side runs with its owner's settings: `serve-folder.ts`.
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
  /** Runs a command, with the repository on this host that it uses, if any. */
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

/** Credentials for https only: ssh has its own keys, and files need none. */
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
    const message = messageOf(error);
    const isFinal = error instanceof Error && 'code' in error && error.code === 'host_auth_failed';
    throw new WorkspaceError(
      isFinal ? 'host_auth_failed' : 'host_unreachable',
      `git ${purposeOf(command)} has no credentials: ${cutText(message, MESSAGE_CHARACTERS)}`,
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

/** The last lines of git's output without credentials, at most 1,500 characters. */
export function lastMessage(stderr: string): string {
  // A remote can write a part of this, so control characters are removed. Joiners of letters and
  // emoji stay, because names contain them.
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
  const message = lastMessage(result.stderr);
  if (NOT_STARTED.has(exitCode)) throw notStarted(message);
  if (!(command.okExitCodes ?? [0]).includes(exitCode)) {
    const trouble =
      command.remoteUrl === undefined ? null : hostTrouble(command.remoteUrl, message);
    fail(`failed: ${message || `exit code ${exitCode}`}`, trouble ?? 'git_failed');
  }
  return { exitCode, stdout, stderr: message, truncated: outputExceeded };
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

/** Replaces atomically: a concurrent git process reads the old or the new file. */
async function replaceFile(path: string, text: string, mode: number): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
  return path;
}
