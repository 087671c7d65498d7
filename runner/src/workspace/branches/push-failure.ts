import { lastMessage } from '../git/git.ts';
import { hostTrouble, saysNoAccess } from '../git/host/host-trouble.ts';
import { WorkspaceError } from '../workspace.ts';

type Rule = {
  says: RegExp;
  unless?: RegExp;
  hint?: string;
  /** The hint is sufficient, and git's own message is left out. */
  isEnough?: boolean;
};

/** The remote has a branch where this one needs a folder, or the reverse. */
const NAME_TAKEN =
  /' exists; cannot create '|there are still refs under '|\(directory file conflict\)|\(refname conflict\)/i;
/** A limit per time span, after which the host accepts requests again. */
const PER_TIME = /\bper (?:second|minute|hour|day)\b/i;
/**
 * Refusals that only a person can resolve: rules of hosts (GitHub's have numbers such as GH013),
 * size limits and read-only repositories. No pattern matches a branch name, because each contains a
 * blank or a colon.
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
/** Temporary failures that a host reports itself, often through its hook. */
const PASSES =
  /internal (?:server|api) error|internal api unreachable|api is not accessible|service unavailable|bad gateway|gateway time-?out|timed out\b|rate limit|too many (?:requests|times)|temporarily |try again later/i;
const DECLINED = /hook declined|push declined/i;

/**
 * Classifies a failed `git push`. Final, since only a person can resolve it: `push_refused`, and
 * `host_auth_failed` without access. Temporary: `host_unreachable`, and `push_rejected` of a
 * branch. Unknown: `git_failed`, and `push_rejected` of a branch.
 */
export function pushFailure(push: {
  url: string;
  branch: string;
  stderr: string;
  stdout: string;
}): WorkspaceError {
  const { url, branch, stderr, stdout } = push;
  const message = lastMessage(`${stderr}\n${stdout}`);
  const refused = stdout.split('\n').find((line) => line.startsWith('!'));
  // Warnings of the remote are not the cause of its refusal.
  const output = `${stderr}\n${stdout}`
    .split('\n')
    .filter((line) => !/^remote:\s*warning:/i.test(line.trim()))
    .join('\n');
  const explained = refused === undefined ? message : refusalMessage(message, refused);
  const final = ({ hint, isEnough = false }: Omit<Rule, 'says'>): WorkspaceError =>
    new WorkspaceError(
      'push_refused',
      isEnough
        ? `the remote refused ${branch}: ${hint}`
        : `the remote refused ${branch}${hint === undefined ? '' : ` (${hint})`}: ${explained}`,
    );
  if (NAME_TAKEN.test(output)) return final({ hint: wayOut(branch, output) });
  const lacksAccess = saysNoAccess(output);
  const rule = RULES.find(({ says, unless }) => says.test(output) && unless?.test(output) !== true);
  if (rule !== undefined && !lacksAccess) return final(rule);
  const mayPass = PASSES.test(output) || PER_TIME.test(output);
  const trouble = mayPass ? 'host_unreachable' : hostTrouble(url, message);
  if (lacksAccess || trouble === 'host_auth_failed') {
    return new WorkspaceError(
      'host_auth_failed',
      `the host does not let this runner push ${branch} (its credentials need write access to the repository): ${message}`,
    );
  }
  if (refused === undefined) {
    return new WorkspaceError(trouble ?? 'git_failed', `git push failed: ${message}`);
  }
  if (DECLINED.test(output) && !mayPass) return final({});
  const moved = message.includes('stale info') ? ' (it has moved since it was last seen)' : '';
  return new WorkspaceError('push_rejected', `the remote refused ${branch}${moved}: ${explained}`);
}

/** The remote's own message, without git's lines of addresses and refs. */
function refusalMessage(message: string, refused: string): string {
  const remoteLines = message
    .split('\n')
    .flatMap((line) => /^remote:\s*(\S.*?)\s*$/.exec(line)?.[1] ?? []);
  const rule = /\(([^()]+)\)\s*$/.exec(refused)?.[1];
  if (remoteLines.length === 0) return rule ?? message;
  return rule === undefined ? remoteLines.join('\n') : `${remoteLines.join('\n')} (${rule})`;
}

/** For people: which branch of the remote prevents the push, with advice. */
function wayOut(branch: string, output: string): string {
  const found =
    /'refs\/heads\/([^']+)' exists; cannot create '/.exec(output)?.[1] ??
    `${branch.split('/')[0]} or one below ${branch}`;
  return `it has a branch ${found}, beside which git can keep no branch ${branch}: rename or delete that branch there`;
}
