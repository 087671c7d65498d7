import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import { openWorkspaces } from '../../workspace/open-workspaces.ts';
import { type LfsHost, pointerTo, sha256, startLfsHost } from '../../workspace/testing/lfs-host.ts';
import type { FakeTurn } from './fake-engine.ts';
import { limits, useHost } from './use-host.ts';

/** The real program examines what we do; where it is missing, these tests are skipped by name. */
export const withGitLfs =
  spawnSync('git', ['lfs', 'version']).status === 0 ? describe : describe.skip;

const CREDENTIAL = { username: 'runner', password: 'lfs-password-of-the-route' };
export const OLD = 'old content, as an artist made it\n';
export const SECOND = 'second content\n'.repeat(5_000);
export const FILES = {
  '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
  'art/old.bin': pointerTo(OLD),
  'art/日本 "2".bin': pointerTo(SECOND),
  'art/twin.bin': pointerTo(OLD),
};

/** A runner whose repository is on a host with Git LFS, and an agent that has git-lfs. */
export function useLfsHost() {
  const rig = useHost();
  const home = mkdtempSync(join(tmpdir(), 'swy-lfs-home-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  let host: LfsHost;
  beforeEach(async () => {
    const { folder, workspaces } = rig.world.fixture;
    host = await startLfsHost(folder);
    for (const content of [OLD, SECOND]) host.objects.set(sha256(content), Buffer.from(content));
    host.wants = CREDENTIAL;
    const opened = await openWorkspaces({
      rootPath: join(folder, 'root'),
      allowFolders: [folder],
      workIdentity: null,
      remoteEnv: () => Promise.resolve(host.env),
      remoteCredential: () => Promise.resolve(CREDENTIAL),
    });
    Object.assign(workspaces, opened);
    await rig.restart();
  });
  afterEach(() => host.close());

  const options = (cwd: string) => ({
    cwd,
    encoding: 'utf8' as const,
    timeout: 60_000,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      ...host.env,
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.test',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.test',
    },
  });
  const turns = (): FakeTurn[] => rig.world.engine.sessions.at(-1)?.turns ?? [];
  return {
    rig,
    get host() {
      return host;
    },
    /** As a shell with git-lfs in the workspace. */
    git: (...args: string[]): string =>
      execFileSync('git', args, { ...options(rig.workspace()), stdio: 'pipe' }),
    /** The same in another folder, which may ask the host: it lives in this process. */
    gitIn: async (cwd: string, ...args: string[]): Promise<string> =>
      (await promisify(execFile)('git', args, options(cwd))).stdout,
    at: (name: string): string => join(rig.workspace(), name),
    turns,
    told: (turn: number): string => turns()[turn - 1]?.input.text ?? '',
    notices: (): string[] => rig.payloads('notice').map(({ message }) => String(message)),
    /** What it does in its turns; it says each time that it is done. */
    agent(steps: (() => Promise<unknown>)[], change: Partial<AttemptSpec> = {}): void {
      rig.world.engine.script = async (turn: FakeTurn) => {
        await steps[turn.number - 1]?.();
        turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
        turn.end();
      };
      const repository = { url: host.urlOf('remote.git') };
      rig.offer({ limits: { ...limits, maxTurns: 8 }, repository, ...change });
    },
    remoteFile: (branch: string | undefined, path: string): string =>
      rig.world.fixture.git(rig.world.fixture.remotePath, 'show', `${branch}:${path}`),
  };
}
