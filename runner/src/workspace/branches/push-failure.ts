import { lastMessage } from '../git/git.ts';
import { hostTrouble, saysNoAccess } from '../git/host/host-trouble.ts';
import { WorkspaceError } from '../workspace.ts';

type Rule = {
  says: RegExp;
  unless?: RegExp;
  hint?: string;
  /** The hint says it all: git's own words would only be long. */
  isEnough?: boolean;
};

/** The remote has a branch where this one needs a folder, or the other way round. */
const NAME_TAKEN =
  /' exists; cannot create '|there are still refs under '|\(directory file conflict\)|\(refname conflict\)/i;
/** What a host allows so often will be allowed again. */
const PER_TIME = /\bper (?:second|minute|hour|day)\b/i;
/**
 * What only a person can change: rules of hosts, of which GitHub's carry numbers such as GH013, sizes and
 * repositories that take nothing. No pattern fits a name of a branch: each has a blank or a colon.
 */
const RULES: readonly Rule[] = [
  { says: /\bGH0\d\d:/ },
  { says: /refusing to allow |protected branch |not allowed to (?:push|force push|upload)/i },
  {
    says: /pack exceeds maximum allowed size|(?:HTTP|returned error:) 413\b|exceed\w* .{0,60}\bsize limit|exceed the \d+ ?[KMG]i?B limit|size limit exceeded/i,
    hint: 'it is larger than the host takes: take large files out of its history, or raise the limit there',
  },
  {
    says: /\b(?:disk|storage|size|repository) quota (?:has been |was )?exceeded|^(?:remote: )?(?:error: |fatal: )?quota exceeded|exceed\w* .{0,40}(?:\bquota|allocated storage)|over (?:its|the|your) .{0,20}quota/im,
    unless: PER_TIME,
    hint: 'there is no room left for it on the host: make room there, or raise the quota',
  },
  {
    says: /archived so it is read-only|archived (?:project|repository)|repository (?:is|was|has been) archived|(?:is|in) (?:in )?read-only mode|push code to a read-only/i,
    hint: 'the repository is read-only: make it writable there',
  },
  {
    says: /\[remote rejected\] \(non-fast-forward\)/,
    hint: 'its history was rewritten, which the remote forbids: delete the branch there, or allow it',
  },
  {
    says: /is currently checked out/i,
    hint: 'it is checked out there: merge by hand in that folder, check out another branch there, or run "git config receive.denyCurrentBranch updateInstead" in it and try again',
    isEnough: true,
  },
  {
    says: /\(Working directory has (?:un)?staged changes\)|\(Could not update working tree to new HEAD\)/,
    hint: 'it is checked out in a folder with changes that nobody committed: commit or stash them there and try again',
    isEnough: true,
  },
  {
    says: /insufficient permission for adding an object/i,
    hint: 'files of the remote belong to another user: give them back to the one who serves it',
  },
  { says: /funny ref|deny updating a hidden ref|fsck error in packed object/i },
];
/** A host in trouble says so itself, often through its hook. */
const PASSES =
  /internal (?:server|api) error|internal api unreachable|api is not accessible|service unavailable|bad gateway|gateway time-?out|timed out\b|rate limit|too many (?:requests|times)|temporarily |try again later/i;
const DECLINED = /hook declined|push declined/i;

/**
 * What a failed `git push` means. Final, because only a person can change it: `push_refused`, and
 * `host_auth_failed` where access is missing. May pass: `host_unreachable`, and `push_rejected` of a
 * branch. Not known: `git_failed`, and `push_rejected` of a branch.
 */
export function pushFailure(push: {
  url: string;
  branch: string;
  stderr: string;
  stdout: string;
}): WorkspaceError {
  const { url, branch, stderr, stdout } = push;
  const words = lastMessage(`${stderr}\n${stdout}`);
  const refused = stdout.split('\n').find((line) => line.startsWith('!'));
  // What the remote only warns of has not made it refuse.
  const heard = `${stderr}\n${stdout}`
    .split('\n')
    .filter((line) => !/^remote:\s*warning:/i.test(line.trim()))
    .join('\n');
  const said = refused === undefined ? words : refusalMessage(words, refused);
  const final = ({ hint, isEnough = false }: Omit<Rule, 'says'>): WorkspaceError =>
    new WorkspaceError(
      'push_refused',
      isEnough
        ? `the remote refused ${branch}: ${hint}`
        : `the remote refused ${branch}${hint === undefined ? '' : ` (${hint})`}: ${said}`,
    );
  if (NAME_TAKEN.test(heard)) return final({ hint: wayOut(branch, heard) });
  const lacksAccess = saysNoAccess(heard);
  const rule = RULES.find(({ says, unless }) => says.test(heard) && unless?.test(heard) !== true);
  if (rule !== undefined && !lacksAccess) return final(rule);
  const mayPass = PASSES.test(heard) || PER_TIME.test(heard);
  const trouble = mayPass ? 'host_unreachable' : hostTrouble(url, words);
  if (lacksAccess || trouble === 'host_auth_failed') {
    return new WorkspaceError(
      'host_auth_failed',
      `the host does not let this runner push ${branch} (its credentials need write access to the repository): ${words}`,
    );
  }
  if (refused === undefined) {
    return new WorkspaceError(trouble ?? 'git_failed', `git push failed: ${words}`);
  }
  if (DECLINED.test(heard) && !mayPass) return final({});
  const moved = words.includes('stale info') ? ' (it has moved since it was last seen)' : '';
  return new WorkspaceError('push_rejected', `the remote refused ${branch}${moved}: ${said}`);
}

/** What the remote itself says, without git's own frame of addresses and references. */
function refusalMessage(words: string, refused: string): string {
  const said = words.split('\n').flatMap((line) => /^remote:\s*(\S.*?)\s*$/.exec(line)?.[1] ?? []);
  const rule = /\(([^()]+)\)\s*$/.exec(refused)?.[1];
  if (said.length === 0) return rule ?? words;
  return rule === undefined ? said.join('\n') : `${said.join('\n')} (${rule})`;
}

/** For a person: which branch of the remote stands in the way, and what to do about it. */
function wayOut(branch: string, heard: string): string {
  const found =
    /'refs\/heads\/([^']+)' exists; cannot create '/.exec(heard)?.[1] ??
    `${branch.split('/')[0]} or one below ${branch}`;
  return `it has a branch ${found}, beside which git can keep no branch ${branch}: rename or delete that branch there`;
}
