import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownUsedTree } from './own-tree.ts';

const AGENT = { uid: 10_001, gid: 10_001 };
const PERSON = 12_345;
const PROGRAM = new URL('./own-tree.ts', import.meta.url).href;

describe.runIf(process.getuid?.() === 0 && process.platform === 'linux')('whose a tree is', () => {
  let root: string;
  const at = (...names: string[]) => join(root, ...names);
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'swy-own-'));
    await chmod(root, 0o755);
    await mkdir(at('data', 'home', 'inner'), { recursive: true });
    await writeFile(at('data', 'home', 'inner', 'file'), 'x', { mode: 0o600 });
    await writeFile(at('victim'), 'mine');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const uidOf = async (...names: string[]) => (await lstat(at(...names))).uid;

  it('is looked at as far as it must be, and gives no file of this host away', async () => {
    await chown(at('data', 'home'), AGENT.uid, AGENT.gid);
    await ownUsedTree(at('data', 'home'), AGENT, { isKnown: true });
    expect(await uidOf('data', 'home', 'inner', 'file')).toBe(0);
    await symlink(at('victim'), at('data', 'home', 'link'));
    await link(at('victim'), at('data', 'home', 'same'));
    await ownUsedTree(at('data', 'home'), AGENT, { isKnown: false });
    expect(await uidOf('data', 'home', 'inner', 'file')).toBe(AGENT.uid);
    expect(await uidOf('data', 'home', 'inner')).toBe(AGENT.uid);
    expect(await uidOf('victim')).toBe(0);
    await ownUsedTree(at('data', 'home'), { uid: 0, gid: 0 }, { isKnown: false });
    expect(await uidOf('data', 'home', 'inner', 'file')).toBe(0);
    await rm(at('data', 'home'), { recursive: true });
    await symlink(root, at('data', 'home'));
    await expect(ownUsedTree(at('data', 'home'), AGENT, { isKnown: false })).rejects.toThrow(
      'it is no folder',
    );
    expect(await uidOf('victim')).toBe(0);
  });

  it('stays as it is where a root that may give nothing away can work in it all the same', async () => {
    const run = (uid: number): string => {
      const code = `await ownUsedTree(${JSON.stringify(at('data', 'home'))}, { uid: ${uid}, gid: ${uid} }, { isKnown: false })
          .then(() => console.log('fine'), (error) => console.log(error.message));`;
      const program = `import { ownUsedTree } from ${JSON.stringify(PROGRAM)};\n${code}`;
      const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
      const args = ['--bounding-set=-chown', '--inh-caps=-chown', process.execPath, ...flags];
      const { stdout, stderr } = spawnSync('setpriv', args, { encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout.trim();
    };
    await chown(at('data', 'home', 'inner'), AGENT.uid, AGENT.gid);
    expect(run(0)).toBe('fine');
    expect(await uidOf('data', 'home', 'inner')).toBe(AGENT.uid);
    expect(run(AGENT.uid)).toMatch(/home could not be given to uid 10001: .*EPERM/);
  });

  it('is told in one sentence, with what to do, where this runner can give nothing away', async () => {
    /** As a runner of a person, in a process of its own: nobody becomes root again. */
    const asPerson = (isKnown: boolean): string => {
      const code = `process.setgid(${PERSON}); process.setuid(${PERSON});
        await ownUsedTree(${JSON.stringify(at('data', 'home'))}, null, { isKnown: ${isKnown} })
          .then(() => console.log('fine'), (error) => console.log(error.message));`;
      const program = `import { ownUsedTree } from ${JSON.stringify(PROGRAM)};\n${code}`;
      const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout.trim();
    };
    await chown(at('data'), PERSON, PERSON);
    await chown(at('data', 'home'), PERSON, PERSON);
    expect(asPerson(true)).toBe('fine');
    const home = at('data', 'home');
    const words = (uid: number) =>
      `${home} has files of uid ${uid}, which this runner may not use as it is not root: run "sudo chown -hR ${PERSON}:${PERSON} '${home}'" on its machine, then try again`;
    expect(asPerson(false)).toBe(words(0));
    await chown(at('data', 'home', 'inner'), PERSON, PERSON);
    await chown(at('data', 'home', 'inner', 'file'), PERSON, PERSON);
    expect(asPerson(false)).toBe('fine');
    // Closed to it altogether, as root left it.
    await chown(home, AGENT.uid, AGENT.gid);
    await chmod(home, 0o700);
    expect(asPerson(true)).toBe(words(AGENT.uid));
  });
});
