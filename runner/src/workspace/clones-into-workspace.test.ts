import { expect, it } from 'vitest';
import { clonesIntoWorkspace } from './clones-into-workspace.ts';

it.each([
  'git clone --depth 1 https://github.com/acme/shop .',
  'git clone --depth 1 https://github.com/acme/shop .\nif command -v mise; then\n  mise install\nfi',
  'set -e; git -c x.y=z clone "$URL" "." && npm ci',
  'git clone \\\n  git@github.com:acme/shop.git \\\n  ./',
  'git clone -b main $URL "$PWD" >/dev/null 2>&1',
  '(git clone $URL $(pwd)) || exit 1',
  '/usr/bin/git clone $URL ${PWD} # here',
])('an empty workspace is wanted by %j', (script) => {
  expect(clonesIntoWorkspace(script)).toBe(true);
});

it.each([
  '',
  'npm ci',
  'git clone https://github.com/acme/tools ../tools',
  'git clone https://github.com/acme/tools',
  'git clone .',
  '# git clone https://github.com/acme/shop .',
  'echo git; cp -r clone .',
  'git pull; echo clone; ls .',
  'git clone $URL vendor; cp -r vendor/x .',
])('a workspace with the repository is wanted by %j', (script) => {
  expect(clonesIntoWorkspace(script)).toBe(false);
});
