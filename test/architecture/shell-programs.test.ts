import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, workspaces } from './source-tree.ts';
import { shellcheckPart } from '../support/shellcheck.ts';
import { ROOT } from '../support/suites/files-of-suite.ts';
import { requiresAllParts } from '../support/system-part.ts';

const shellcheck = shellcheckPart();
const programs = [...workspaces, 'docs']
  .flatMap((folder) => listFiles(ROOT, folder))
  .filter((path) => path.endsWith('.sh'));

const judge = (...paths: string[]) => {
  const { status, stdout, stderr } = spawnSync('shellcheck', ['--format=gcc', ...paths], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, said: `${stdout}${stderr}` };
};

describe.skipIf(!shellcheck.available && !requiresAllParts())('shellcheck', () => {
  it('finds nothing to say about any program of the shell, nor about the gate', () => {
    expect(programs).toContain('runner/src/workspace/objects/shell/choose-work.sh');
    expect(judge(...programs, '.ci/run')).toEqual({ status: 0, said: '' });
  });

  it('knows what the parts of a program set, by the settings of this repository', () => {
    const folder = mkdtempSync(join(tmpdir(), 'swy-shell-'));
    try {
      copyFileSync(join(ROOT, '.shellcheckrc'), join(folder, '.shellcheckrc'));
      writeFileSync(join(folder, 'part.sh'), '#!/bin/sh\nset_in_part=yes\n');
      const whole = '#!/bin/sh\n. ./part.sh\necho "$set_in_part" "$set_nowhere"\n';
      writeFileSync(join(folder, 'whole.sh'), whole);
      const { said } = judge(join(folder, 'whole.sh'));
      expect(said.trim().split('\n')).toEqual([
        expect.stringContaining('whole.sh:3:22: warning: set_nowhere is referenced'),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
