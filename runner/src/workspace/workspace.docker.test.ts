import { messageOf } from '@switchyard/shared/message-of';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DockerContainerEngine } from '../container/docker/docker-engine.ts';
import { defaultSandboxImage } from '../container/docker/image/default-sandbox-image.ts';
import { workspaceMounts } from '../attempt/mounts/workspace-mounts.ts';
import { adoptClone } from './adopt-clone.ts';
import { runCreationHook, runHook } from './hooks.ts';
import { checkOutObjects, hasLfs } from './lfs/check-out-objects.ts';
import { collectObjects } from './lfs/collect-objects.ts';
import { isStored, lfsStorePath, makeStore, storeObject } from './lfs/store-object.ts';
import { pointerTo, sha256 } from './testing/lfs-host.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { pushBranch } from './branches/push-branch.ts';
import { removeWorkspace } from './remove-workspace.ts';
import { serveMirror } from './mirror/serve-mirror.ts';
import { takeSnapshot } from './objects/snapshot.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from './testing/workspace-fixture.ts';
import type { PreparedWorkspace, RunInWorkspace } from './workspace.ts';

const image = process.env['SWITCHYARD_TEST_IMAGE'] ?? defaultSandboxImage;
const engine = new DockerContainerEngine({ image });
const skipReason = await engine.check().then(() => null, messageOf);

const commonOf = (workingDirectory: string) => ({
  owner: { runnerId: 'test-workspace', attemptId: randomUUID(), epoch: 1, bootId: 'boot' },
  image,
  env: {},
  workingDirectory,
  resources: {
    memoryBytes: 512 * 1024 * 1024,
    cpus: 1,
    pids: 64,
    tmpfsBytes: 32 * 1024 * 1024,
  },
});

describe.skipIf(skipReason !== null)(
  `a workspace in a real container${skipReason === null ? '' : ` (skipped: ${skipReason})`}`,
  { timeout: 60_000 },
  () => {
    let fixture: WorkspaceFixture;
    let workspace: PreparedWorkspace;
    let run: RunInWorkspace;

    beforeAll(async () => {
      fixture = await makeWorkspaceFixture({ workIdentity: engine.workIdentity });
      workspace = await prepareWorkspace(fixture.workspaces, {
        issue: { identifier: 'SY-1', title: 'Fix it' },
        source: fixture.source,
        identity: testIdentity,
        nowMs: 1,
      });
      run = (command) =>
        engine.run({
          ...commonOf(workspace.path),
          mounts: workspaceMounts(workspace),
          ...command,
        });
    });
    afterAll(async () => {
      await fixture.dispose();
      await engine.close();
    });

    const snapshot = () =>
      takeSnapshot(fixture.workspaces, run, {
        workspace,
        attemptId: 'att-1',
        identity: testIdentity,
        message: 'SY-1: Fix it',
        agentStopped: true,
      });
    const inside = (script: string) =>
      runHook(run, { name: 'after_run', script, timeoutMs: 20_000 });

    it('is a working repository for the container, which can commit but not touch the mirror', async () => {
      const git = await inside(
        'git status --short && git log --oneline && git commit -q --allow-empty -m mine',
      );
      expect(git).toMatchObject({ ok: true });
      const attack = await inside(
        `echo x > ${workspace.objectsPath}/planted; ls ${workspace.mirrorPath}/refs`,
      );
      expect(attack.ok).toBe(false);
      expect(existsSync(join(workspace.objectsPath, 'planted'))).toBe(false);
    });

    it('delivers what was done inside, whatever the agent configured to run', async () => {
      const marker = join(fixture.folder, 'ran-on-host');
      const trap = join(workspace.path, 'trap.sh');
      await writeFile(
        trap,
        `#!/bin/sh\necho ran > ${marker}\necho inside >> ${workspace.path}/trace\ncat\n`,
      );
      execFileSync('chmod', ['755', trap]);
      await writeFile(join(workspace.path, '.gitattributes'), '*.txt filter=trap\n');
      const planted = await inside(
        `printf 'private\\n' > note.txt; mkdir -p hooks; cp trap.sh hooks/pre-commit; git config filter.trap.clean ./trap.sh; git config core.fsmonitor ./trap.sh; git config core.hooksPath hooks`,
      );
      expect(planted.ok).toBe(true);
      const taken = await snapshot();
      expect(taken.diff).toContain('+private');
      expect(existsSync(marker)).toBe(false);
      expect(await readFile(join(workspace.path, 'trace'), 'utf8')).toMatch(/inside/);
      await pushBranch(fixture.workspaces, {
        mirrorPath: workspace.mirrorPath,
        repositoryUrl: fixture.source.url,
        branch: workspace.branch,
        commitSha: taken.commitSha ?? '',
        expectedSha: null,
      });
      expect(fixture.git(fixture.remotePath, 'show', `${workspace.branch}:note.txt`)).toBe(
        'private\n',
      );
      expect(existsSync(marker)).toBe(false);
    });

    it('cannot smuggle a file of the host out through borrowed objects', async () => {
      const other = join(fixture.folder, 'other');
      fixture.git(fixture.folder, 'init', '-q', '-b', 'main', other);
      await fixture.write(join(other, 'secret.txt'), 'secret words\n');
      fixture.git(other, 'add', '-A');
      fixture.git(other, 'commit', '-qm', 'secret');
      const commit = fixture.git(other, 'rev-parse', 'HEAD').trim();
      await inside(
        `echo ${other}/.git/objects >> .git/objects/info/alternates; git update-ref --no-deref HEAD ${commit} || echo ${commit} > .git/HEAD`,
      );
      await expect(snapshot()).rejects.toMatchObject({ name: 'WorkspaceError' });
      expect(
        spawnSync('git', ['-C', workspace.mirrorPath, 'cat-file', '-e', commit]).status,
      ).not.toBe(0);
    });

    it('has files of Git LFS from a store that the container reads and cannot write', async () => {
      const [old, raw] = ['old content\n', 'raw, from before LFS\n'];
      await fixture.commitOnRemote('main', {
        '.gitattributes': '*.bin filter=lfs -text\n',
        'art/old.bin': pointerTo(old),
        'art/raw.bin': raw,
      });
      const workspaceOf = await prepareWorkspace(fixture.workspaces, {
        issue: { identifier: 'SY-9', title: 'Art' },
        source: fixture.source,
        identity: testIdentity,
        nowMs: 1,
        owner: engine.workIdentity,
      });
      const { path, mirrorPath } = workspaceOf;
      await makeStore(mirrorPath);
      const pointer = { oid: sha256(old), sizeBytes: old.length };
      await storeObject(fixture.workspaces, mirrorPath, pointer, Readable.from([Buffer.from(old)]));
      const runThere: RunInWorkspace = (command) =>
        engine.run({ ...commonOf(path), mounts: workspaceMounts(workspaceOf), ...command });
      const at = { path, identity: testIdentity };
      expect(await hasLfs(runThere, at)).toBe(true);
      expect(await checkOutObjects(runThere, { ...at, files: true })).toBeNull();
      expect(await readFile(join(path, 'art/old.bin'), 'utf8')).toBe(old);
      const store = lfsStorePath(mirrorPath);
      const script =
        'id -u; git status --short; echo new > new.bin; git add -A; git status --short; ' +
        `find ${store} -type f -exec sh -c 'echo x > "$1"; rm -f "$1"' sh {} \\;; touch ${store}/planted`;
      const { output, ok } = await runHook(runThere, {
        name: 'after_run',
        script,
        timeoutMs: 20_000,
      });
      expect(ok).toBe(false);
      const [user, ...said] = output.split('\n');
      expect(user).toMatch(/^[1-9]/);
      expect(said[0]).toBe('A  new.bin');
      expect(output).toContain('Read-only file system');
      expect(await isStored(mirrorPath, pointer)).toBe(true);
      expect(existsSync(join(store, 'planted'))).toBe(false);
      const added = { oid: sha256('new\n'), sizeBytes: 4 };
      const missing = await collectObjects(fixture.workspaces, runThere, workspaceOf, [added]);
      expect([...missing]).toEqual([]);
      expect(await isStored(mirrorPath, added)).toBe(true);
    });

    it('may be what a hook clones from the mirror, without a network, and cannot write there', async () => {
      const address = 'https://code.example/acme/shop';
      const empty = await prepareWorkspace(fixture.workspaces, {
        issue: { identifier: 'SY-2', title: 'Clone it' },
        source: fixture.source,
        identity: testIdentity,
        hasCreationHook: true,
        hookClones: true,
        nowMs: 1,
      });
      const served = await serveMirror(fixture.workspaces, empty, address);
      const mountOf = (path: string) => ({
        hostPath: path,
        containerPath: path,
        readOnly: true,
      });
      const inEmpty: RunInWorkspace = (command) =>
        engine.run({
          owner: { runnerId: 'test-workspace', attemptId: randomUUID(), epoch: 1, bootId: 'boot' },
          image,
          env: {},
          workingDirectory: empty.path,
          mounts: [
            { ...mountOf(empty.path), readOnly: false },
            mountOf(empty.objectsPath),
            mountOf(served.path),
          ],
          resources: {
            memoryBytes: 512 * 1024 * 1024,
            cpus: 1,
            pids: 64,
            tmpfsBytes: 32 * 1024 * 1024,
          },
          ...command,
        });
      const script = [
        `git clone --depth 1 ${address} .`,
        `git ls-remote ${address}.git | grep -q refs/switchyard && exit 7`,
        `echo x > ${served.path}/planted && exit 8`,
        `git push -q origin HEAD:refs/heads/planted && exit 9`,
        'echo ready',
      ].join('\n');
      const toClone = empty.toClone ?? { startCommit: '' };
      const result = await runCreationHook(fixture.workspaces, inEmpty, {
        workspace: empty,
        script,
        timeoutMs: 30_000,
        env: served.env,
        adopt: () =>
          adoptClone(inEmpty, {
            workspace: { ...empty, toClone },
            repositoryUrl: address,
            identity: testIdentity,
          }),
      });
      expect(result.output).toContain('ready');
      expect(fixture.git(empty.mirrorPath, 'for-each-ref')).not.toContain('planted');
      // Not all files: where git looks at art/raw.bin again, Git LFS makes a pointer of it.
      const work = 'echo more > more.txt && git add more.txt && git commit -qm more';
      expect(
        await runHook(inEmpty, { name: 'after_run', script: work, timeoutMs: 20_000 }),
      ).toEqual({ ok: true, output: '', failure: null });
      const taken = await takeSnapshot(fixture.workspaces, inEmpty, {
        workspace: empty,
        attemptId: 'att-2',
        identity: testIdentity,
        message: 'SY-2: x',
        agentStopped: true,
      });
      expect(taken).toMatchObject({ problems: [], aside: [], unclear: false });
      expect(taken.diffStat).toMatchObject({ files: 1 });
      await served.remove();
    });

    it('is removed with everything that the container owned and closed', async () => {
      await inside('mkdir -p closed/inner; echo x > closed/inner/x; chmod 000 closed');
      await removeWorkspace(fixture.workspaces, 'SY-1');
      expect(existsSync(workspace.path)).toBe(false);
    });
  },
);
