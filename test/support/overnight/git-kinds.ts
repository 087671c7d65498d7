import { agent, commit, delivers, endsWith, type Kind, refused } from './kind.ts';

const a = { 'a.txt': /^a/ };
const ab = { 'a.txt': /^a/, 'b.txt': /^b/ };
const AB = `${commit('a.txt')} && ${commit('b.txt')}`;
const BACK = 'git checkout -q -';
/** A conflict in README.md between the branch and `other`. */
const CONFLICT = `git checkout -qb other && ${commit('README.md', 'theirs')} && ${BACK} && ${commit('README.md', 'ours')}`;
const RESOLVED = { 'README.md': /^both/ };
const RESOLVE = "printf 'both\\n' > README.md && git add -A";

/** What agents do to their repository. */
export const gitKinds: readonly Kind[] = [
  { name: 'commits-itself', script: agent(AB), expected: delivers(ab) },
  { name: 'own-branch', script: agent(`git checkout -qb mine && ${AB}`), expected: delivers(ab) },
  {
    name: 'own-branch-left',
    script: agent(`git checkout -qb mine && ${AB} && ${BACK}`),
    expected: delivers(ab),
  },
  {
    name: 'detached-at-older',
    script: agent(`${AB} && git checkout -q --detach HEAD~1`),
    expected: delivers(ab),
  },
  {
    name: 'bisection-ended-later',
    script: agent(`${AB} && git bisect start HEAD HEAD~2`, 'git bisect reset'),
    expected: delivers(ab),
  },
  {
    name: 'bisection-left-open',
    script: agent(`${AB} && git bisect start HEAD HEAD~2`),
    expected: delivers(ab),
  },
  {
    name: 'detached-and-left',
    script: agent(`git checkout -q --detach && ${AB} && ${BACK}`),
    expected: delivers(ab),
  },
  {
    name: 'two-branches-merged-later',
    script: agent(
      `git checkout -qb one && ${commit('a.txt')} && ${BACK} && ${commit('b.txt')}`,
      'git merge -q --no-edit one',
    ),
    expected: delivers(ab),
  },
  {
    name: 'branch-left-aside',
    script: agent(`git checkout -qb one && ${commit('b.txt')} && ${BACK} && ${commit('a.txt')}`),
    expected: delivers(a, { absent: ['b.txt'], comment: /Not delivered: commit .*add b\.txt/ }),
  },
  {
    name: 'stash-applied-later',
    script: agent(
      `printf 'b\\n' > b.txt && git add b.txt && git stash -q && ${commit('a.txt')}`,
      'git stash pop -q',
    ),
    expected: delivers(ab),
  },
  {
    name: 'unrelated-history-mended',
    script: agent(
      `git checkout -q --orphan fresh && ${commit('a.txt')}`,
      `git checkout -q $(git for-each-ref --format='%(refname:short)' refs/heads/switchyard) && git checkout -q fresh -- a.txt && git commit -qm a && git branch -D fresh`,
    ),
    expected: delivers(a),
  },
  {
    name: 'unrelated-history',
    script: agent(`git checkout -q --orphan fresh && ${commit('a.txt')}`),
    expected: refused(/shares no commit with the base branch/),
  },
  {
    name: 'merge-finished-later',
    script: agent(`${CONFLICT} ; git merge other`, `${RESOLVE} && git commit -qm merged`),
    expected: delivers(RESOLVED),
  },
  {
    name: 'merge-left-open',
    script: agent(`${CONFLICT} ; git merge other`),
    expected: refused(/a merge is not finished/),
  },
  {
    name: 'rebase-finished-later',
    script: agent(
      `${CONFLICT} ; git rebase other`,
      `${RESOLVE} && GIT_EDITOR=true git rebase --continue`,
    ),
    expected: delivers(RESOLVED),
  },
  {
    name: 'rebase-left-open',
    script: agent(`${CONFLICT} ; git rebase other`),
    expected: refused(/a rebase is not finished/),
  },
  {
    name: 'cherry-pick-aborted-later',
    script: agent(
      `${CONFLICT} ; git cherry-pick other`,
      `git cherry-pick --abort ; git branch -D other ; ${commit('a.txt')}`,
    ),
    expected: delivers({ 'a.txt': /^a/, 'README.md': /^ours/ }),
  },
  {
    name: 'conflict-markers-committed',
    script: agent(
      `printf '<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> other\\n' > a.txt && git add -A && git commit -qm a`,
      commit('a.txt'),
    ),
    expected: delivers(a),
  },
  {
    name: 'ref-lock-left',
    script: agent(`printf 'a\\n' > a.txt && touch .git/$(git symbolic-ref HEAD).lock`),
    expected: delivers(a),
  },
  {
    name: 'every-lock-left',
    script: agent(
      `printf 'a\\n' > a.txt && touch .git/index.lock .git/HEAD.lock .git/config.lock .git/packed-refs.lock`,
    ),
    expected: delivers(a),
  },
  {
    name: 'history-rewritten',
    script: agent(
      `${AB} && git commit -q --amend -m better && git rebase -q --no-ff HEAD~1 && git gc -q --prune=now`,
    ),
    expected: delivers(ab),
  },
  {
    name: 'squashed',
    script: agent(
      `git checkout -qb tmp && ${AB} && ${BACK} && git merge -q --squash tmp && git commit -qm all`,
    ),
    expected: delivers(ab),
  },
  {
    name: 'branch-renamed',
    script: agent(`${AB} && git branch -m elsewhere`),
    expected: delivers(ab),
  },
  {
    name: 'branch-called-head',
    script: agent(`git update-ref refs/heads/HEAD HEAD && ${AB}`),
    expected: delivers(ab),
  },
  {
    name: 'remote-changed',
    script: agent(`git remote set-url origin /nowhere && ${AB}`),
    expected: delivers(ab),
  },
  {
    name: 'hooks-that-refuse',
    script: agent(
      `printf '#!/bin/sh\\nexit 1\\n' > .git/hooks.sh; mkdir -p .git/hooks && cp .git/hooks.sh .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git config commit.gpgSign true && printf 'a\\n' > a.txt`,
    ),
    expected: delivers(a),
  },
  {
    name: 'embedded-repository',
    script: agent('mkdir nested && cd nested && git init -q && echo x > x'),
    expected: refused(/nested/),
  },
  {
    name: 'embedded-repository-ignored-later',
    script: agent(
      `mkdir nested && (cd nested && git init -q && echo x > x) && ${commit('a.txt')}`,
      "printf 'nested/\\n' >> .gitignore && git add .gitignore && git commit -qm ignore",
    ),
    expected: delivers(a),
  },
  {
    name: 'repository-destroyed',
    script: agent('mv .git .gone && echo a > a.txt'),
    expected: endsWith('failed', /no longer a usable repository/),
  },
  {
    name: 'borrowed-objects-lost',
    script: agent(`${AB} && : > .git/objects/info/alternates`),
    expected: endsWith('failed', /workspace_unusable|git_failed/),
  },
];
