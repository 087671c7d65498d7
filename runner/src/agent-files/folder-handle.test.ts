import { execFileSync } from 'node:child_process';
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownUsedTree } from '../workspace/disk/own-tree.ts';
import { FolderHandle } from './folder-handle.ts';
import { putFile, withFolderInside } from './with-folder.ts';
import { walkFolder } from './walk-folder.ts';

const isRoot = process.getuid?.() === 0;

describe('a folder that an agent may have written', () => {
  let root = '';
  let folder: FolderHandle;
  const at = (...names: string[]) => join(root, ...names);
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'swy-handle-'));
    for (const name of ['agent', 'agent/inner', 'victim']) await mkdir(at(name));
    await writeFile(at('victim', 'file'), 'mine');
    const opened = await FolderHandle.open(at('agent'));
    if (opened === null) throw new Error('the folder is there');
    folder = opened;
  });
  afterEach(async () => {
    await folder.close();
    await rm(root, { recursive: true, force: true });
  });
  const walked = async (limits: Parameters<typeof walkFolder>[1]) => {
    const paths: string[] = [];
    for await (const { path, kind } of walkFolder(folder, limits)) paths.push(`${kind} ${path}`);
    return paths.toSorted();
  };

  it('opens neither links nor pipes, and waits for none of them', async () => {
    await symlink(at('victim'), at('agent', 'link'));
    await symlink(at('victim', 'file'), at('agent', 'file-link'));
    execFileSync('mkfifo', [at('agent', 'pipe')]);
    expect(await folder.folder('link')).toBeNull();
    expect(await folder.makeFolder('link')).toBeNull();
    for (const name of ['file-link', 'pipe', 'inner', 'nothing'])
      expect(await folder.openFile(name), name).toBeNull();
    await expect(folder.createFile('file-link')).rejects.toThrow('EEXIST');
    expect(await readFile(at('victim', 'file'), 'utf8')).toBe('mine');
  });

  it('takes single names only', async () => {
    for (const name of ['', '.', '..', 'inner/x', '../victim', 'a\0b'])
      await expect(folder.stat(name), name).rejects.toThrow('not the name of an entry');
    await expect(putFile(folder, '../victim/file', () => Promise.resolve())).rejects.toThrow(
      'not the name',
    );
  });

  it.runIf(process.platform === 'linux')(
    'stays the folder that was opened, whatever takes its name',
    async () => {
      await withFolderInside(folder, ['inner'], { make: false }, async (inner) => {
        await rename(at('agent', 'inner'), at('agent', 'aside'));
        await symlink(at('victim'), at('agent', 'inner'));
        await putFile(inner, 'file', (file) => file.writeFile('theirs'));
        await inner.remove('other');
      });
      expect(await readFile(at('agent', 'aside', 'file'), 'utf8')).toBe('theirs');
      expect(await readFile(at('victim', 'file'), 'utf8')).toBe('mine');
      await putFile(folder, 'inner/file', (file) => file.writeFile('theirs'));
      expect(await readFile(at('victim', 'file'), 'utf8')).toBe('mine');
      expect(await readFile(at('agent', 'inner', 'file'), 'utf8')).toBe('theirs');
    },
  );

  it('is removed below without its links being followed', async () => {
    await symlink(at('victim'), at('agent', 'inner', 'link'));
    await folder.remove('inner');
    expect(await readdir(at('agent'))).toEqual([]);
    expect(await readFile(at('victim', 'file'), 'utf8')).toBe('mine');
  });

  it('is walked within limits, names that are no text included', async () => {
    await symlink(at('victim'), at('agent', 'link'));
    await writeFile(Buffer.concat([Buffer.from(at('agent', 'inner/')), Buffer.from([0xff])]), 'x');
    expect(await walked({ maxEntries: 100 })).toEqual([
      'file inner/\xff',
      'folder inner',
      'other link',
    ]);
    const sizes: unknown[] = [];
    for await (const { folder: inside, name, kind } of walkFolder(folder, { maxEntries: 100 }))
      if (kind === 'file') sizes.push((await inside.stat(name))?.size);
    expect(sizes).toEqual([1]);
    let cuts = 0;
    const cut = (): void => void (cuts += 1);
    expect(await walked({ maxEntries: 2, cut })).toHaveLength(2);
    expect(await walked({ maxEntries: 9, cut, signal: AbortSignal.abort() })).toEqual([]);
    expect(cuts).toBe(2);
    await mkdir(at('agent', ...Array.from({ length: 140 }, () => 'd')), { recursive: true });
    expect((await walked({ maxEntries: 1_000, cut })).length).toBeLessThan(140);
    expect(cuts).toBe(3);
  });

  it.runIf(isRoot)('changes its owner, but not that of a file with another name', async () => {
    await symlink(at('victim', 'file'), at('agent', 'link'));
    await link(at('victim', 'file'), at('agent', 'same'));
    await writeFile(at('agent', 'inner', 'own'), 'x');
    await ownUsedTree(at('agent'), { uid: 10_001, gid: 10_001 }, { isKnown: true });
    const owners = async (...names: string[]) => (await lstat(at(...names))).uid;
    expect(await owners('agent')).toBe(10_001);
    expect(await owners('agent', 'inner', 'own')).toBe(10_001);
    expect(await owners('agent', 'link')).toBe(10_001);
    expect(await owners('victim', 'file')).toBe(0);
  });
});
