import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeSnapshot } from './objects/snapshot.ts';
import { runAsProcess } from './testing/run-as-process.ts';
import {
  makeWorkspaceFixture,
  prepareFor,
  testIdentity,
  type WorkspaceFixture,
} from './testing/workspace-fixture.ts';
import type { PreparedWorkspace } from './workspace.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepareFor(fixture);
  await mkdir(ran());
});
afterEach(() => fixture.dispose());

const ran = () => join(fixture.folder, 'ran');
const git = (...args: string[]) => fixture.git(workspace.path, ...args).trim();
const edit = (name: string, text = `${name}\n`) => fixture.write(join(workspace.path, name), text);

/** A program that only notes that it was run. */
async function trap(name: string, folder = fixture.folder): Promise<string> {
  const path = join(folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(path, `#!/bin/sh\ntouch ${ran()}/${name}\nexit 1\n`);
  await chmod(path, 0o755);
  return path;
}

/** What an agent may leave so that the next git in its folder runs a program. */
const SETTINGS: Record<string, () => Promise<void>> = {
  hooks: async () => {
    const hooks = join(workspace.path, '.git/hooks');
    for (const name of ['pre-commit', 'post-commit', 'reference-transaction', 'post-index-change'])
      await trap(name, hooks);
    await edit('new.txt');
  },
  'hooks elsewhere': async () => {
    git('config', 'core.hooksPath', fixture.folder);
    for (const name of ['pre-commit', 'prepare-commit-msg', 'reference-transaction'])
      await trap(name);
    await edit('new.txt');
  },
  'a file system monitor': async () => {
    git('config', 'core.fsmonitor', await trap('fsmonitor'));
    await edit('new.txt');
  },
  'a file system monitor of an included file': async () => {
    const file = join(fixture.folder, 'included');
    await writeFile(file, `[core]\n\tfsmonitor = ${await trap('fsmonitor')}\n`);
    git('config', 'include.path', file);
    await edit('new.txt');
  },
  'a file system monitor of a repository inside': async () => {
    const nested = join(workspace.path, 'nested');
    await mkdir(nested);
    fixture.git(nested, 'init', '-q');
    await writeFile(join(nested, 'file'), 'x\n');
    fixture.git(nested, 'add', '-A');
    fixture.git(nested, 'commit', '-q', '-m', 'x');
    git('add', '-A');
    fixture.git(nested, 'config', 'core.fsmonitor', await trap('fsmonitor'));
    await edit('nested/file', 'y\n');
  },
  signing: async () => {
    git('config', 'gpg.program', await trap('gpg'));
    git('config', 'commit.gpgSign', 'true');
    await edit('new.txt');
  },
  'signatures that are shown': async () => {
    await edit('new.txt');
    git('add', '-A');
    git('commit', '-q', '-m', 'x');
    const plain = fixture.git(workspace.path, 'cat-file', 'commit', 'HEAD');
    const header = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----';
    await edit('../signed', plain.replace('\n\n', `\n${header}\n\n`));
    const signed = git('hash-object', '-t', 'commit', '-w', '../signed');
    git('update-ref', 'HEAD', signed);
    git('config', 'gpg.program', await trap('gpg'));
    git('config', 'log.showSignature', 'true');
  },
  'objects that a remote has': async () => {
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'extensions.partialClone', 'theirs');
    git('config', 'remote.theirs.url', fixture.remotePath);
    git('config', 'remote.theirs.promisor', 'true');
    git('config', 'remote.theirs.uploadpack', await trap('uploadpack'));
    await edit('new.txt');
    await writeFile(join(workspace.path, '.git/refs/heads/gone'), `${'12'.repeat(20)}\n`);
  },
  'objects that a program brings': async () => {
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'extensions.partialClone', 'theirs');
    git('config', 'remote.theirs.url', `ext::${await trap('ext')} x`);
    git('config', 'protocol.ext.allow', 'always');
    git('config', 'remote.theirs.promisor', 'true');
    await edit('new.txt');
    await writeFile(join(workspace.path, '.git/refs/heads/gone'), `${'12'.repeat(20)}\n`);
  },
  'programs to compare and to show with': async () => {
    const program = await trap('shown');
    for (const name of ['diff.external', 'diff.t.textconv', 'diff.t.command', 'core.pager'])
      git('config', name, program);
    for (const name of ['core.editor', 'merge.t.driver', 'core.sshCommand', 'credential.helper'])
      git('config', name, program);
    await edit('.gitattributes', '* diff=t merge=t\n');
    await edit('src/app.txt', '<<<<<<< a\none\n=======\ntwo\n>>>>>>> b\n');
  },
};

describe('the git settings that an agent leaves', () => {
  it.each(Object.keys(SETTINGS))('run no program when its work is collected: %s', async (name) => {
    await SETTINGS[name]?.();
    // What the preparation itself ran proves nothing.
    await rm(ran(), { recursive: true });
    await mkdir(ran());
    await takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
      workspace,
      attemptId: 'att-1',
      identity: testIdentity,
      message: 'work',
      agentStopped: true,
    });
    expect({ ran: await readdir(ran()) }).toEqual({ ran: [] });
  });
});
