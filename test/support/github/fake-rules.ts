import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeRepository } from './fake-state.ts';

/**
 * A ruleset that refuses pushes to branches of this beginning, in the words in which GitHub's own
 * hook says so. An empty text lifts it.
 */
export async function refusePushes(
  { gitPath, owner, name }: FakeRepository,
  { branches, rule }: { branches: string; rule: string },
): Promise<void> {
  if (gitPath === null) throw new Error('there is no repository to push to');
  const path = join(gitPath, 'hooks', 'pre-receive');
  const refused = `refs/heads/${branches}`;
  const lines = [
    '#!/bin/sh',
    'while read -r old new ref; do',
    `  case "$ref" in '${refused}'*)`,
    '    echo "error: GH013: Repository rule violations found for $ref." >&2',
    `    echo "Review all repository rules at https://github.com/${owner}/${name}/rules" >&2`,
    '    echo "" >&2',
    `    echo '- ${rule}' >&2`,
    '    exit 1 ;;',
    '  esac',
    'done',
  ];
  await writeFile(path, branches === '' ? '#!/bin/sh\nexit 0\n' : `${lines.join('\n')}\n`);
  await chmod(path, 0o755);
}
