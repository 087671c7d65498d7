import { lstat, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeBelow } from './write-below.ts';

describe('a file that a service names', () => {
  let base: string;
  let folder: string;
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'switchyard-files-'));
    folder = join(base, 'out');
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const bytes = Buffer.from('new');
  const write = (path: string) => writeBelow(folder, { path, bytes, force: false });
  const overwrite = (path: string) => writeBelow(folder, { path, bytes, force: true });
  const text = (...names: string[]) => readFile(join(base, ...names), 'utf8');

  it('is written below the folder, with the folders that it names', async () => {
    expect(await write('shots/dark/page one.png')).toBe(
      join(folder, 'shots', 'dark', 'page one.png'),
    );
    expect(await text('out', 'shots', 'dark', 'page one.png')).toBe('new');
    expect((await lstat(join(folder, 'shots', 'dark', 'page one.png'))).mode & 0o111).toBe(0);
    await write('shots/.last-run.json');
    await write('caf\ufffd.txt');
    expect((await readdir(folder)).toSorted()).toEqual(['caf\ufffd.txt', 'shots']);
  });

  it.each([
    ['..', '..'],
    ['a parent', '../evil'],
    ['a parent in the middle', 'a/../../evil'],
    ['an absolute path', '/tmp/switchyard-evil'],
    ['an empty part', 'a//b'],
    ['a part that is a dot', './evil'],
    ['a folder alone', 'a/'],
    ['nothing', ''],
    ['a NUL', 'a\u0000b'],
    ['a line break', 'a\nb'],
    ['a backslash', '..\\evil'],
    ['a folder of git', 'x/.GIT/hooks/post-checkout'],
  ])('is refused for its name: %s', async (_what, path) => {
    await expect(overwrite(path)).rejects.toThrow('its name');
    expect(await readdir(base)).toEqual([]);
  });

  it('never follows a link, neither of a folder nor of a file', async () => {
    await mkdir(join(base, 'home'));
    await writeFile(join(base, 'home', 'keys'), 'old');
    await mkdir(folder);
    await symlink(join(base, 'home'), join(folder, 'shots'));
    await symlink(join(base, 'home', 'keys'), join(folder, 'report.txt'));
    await symlink(join(base, 'home', 'made'), join(folder, 'dangling.txt'));
    for (const put of [write, overwrite])
      await expect(put('shots/keys')).rejects.toThrow('is no folder');
    await expect(write('report.txt')).rejects.toThrow('--force');
    await expect(write('dangling.txt')).rejects.toThrow('--force');
    // The link itself is replaced.
    await overwrite('report.txt');
    expect((await lstat(join(folder, 'report.txt'))).isFile()).toBe(true);
    expect(await text('home', 'keys')).toBe('old');
    expect(await readdir(join(base, 'home'))).toEqual(['keys']);
  });

  it('takes the place of another only when that is asked for', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'report.txt'), 'old');
    await expect(write('report.txt')).rejects.toThrow(/report\.txt is there already.*--force/);
    expect(await text('out', 'report.txt')).toBe('old');
    await overwrite('report.txt');
    expect(await text('out', 'report.txt')).toBe('new');
    expect(await readdir(folder)).toEqual(['report.txt']);
  });

  it('never takes the place of a folder, and leaves nothing of a file that cannot be', async () => {
    await mkdir(join(folder, 'report.txt', 'kept'), { recursive: true });
    for (const put of [write, overwrite]) await expect(put('report.txt')).rejects.toThrow();
    await expect(write('a'.repeat(300))).rejects.toThrow('ENAMETOOLONG');
    expect(await readdir(folder, { recursive: true })).toEqual(['report.txt', 'report.txt/kept']);
  });
});
