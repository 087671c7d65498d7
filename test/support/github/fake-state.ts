/** What the fake holds, in the words of GitHub's REST API. */
export type FakeUser = { login: string; id: number; type: 'User' | 'Bot' };

export type FakePull = {
  number: number;
  node_id: string;
  state: 'open' | 'closed';
  draft: boolean;
  title: string;
  body: string | null;
  headRef: string;
  /** Where the branch stood when the pull request ended. */
  finalSha: string | null;
  baseRef: string;
  /** Where the head lies: `owner/name` of a fork, null once that is deleted; left out: here. */
  fork?: string | null;
  user: FakeUser;
  merged_at: string | null;
  merge_commit_sha: string | null;
  mergeable: boolean | null;
  labels: string[];
  reviewers: string[];
  created_at: string;
  updated_at: string;
};

export type FakeIssue = {
  id: number;
  number: number;
  state: 'open' | 'closed';
  state_reason: string | null;
  title: string;
  body: string | null;
  labels: string[];
  assignees: string[];
  user: FakeUser;
  created_at: string;
  updated_at: string;
  isPull: boolean;
};

export type FakeComment = {
  id: number;
  issue: number;
  body: string;
  user: FakeUser;
  /** Left out: by what the repository knows of its author. */
  author_association?: string;
  created_at: string;
  /** Left out: never edited. */
  updated_at?: string;
};
export type FakeReview = FakeComment & { state: string };
export type FakeLineComment = FakeComment & { path: string; line: number };
export type FakeCheck = {
  id: number;
  sha: string;
  name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  output: { title: string | null; summary: string | null; text: string | null };
  log: string;
};
export type FakeStatus = { sha: string; context: string; state: string; description: string };

export type FakeHook = {
  active: boolean;
  config: { url: string };
  last_response: { code: number | null; status: string; message: string | null };
};

/** Somebody whom a repository knows. A membership that is private is not shown to others. */
export type FakePerson = {
  permission: 'admin' | 'write' | 'read' | 'none';
  member?: 'public' | 'private';
  isCollaborator?: boolean;
};

export type FakeRules = {
  /** Approvals without which nothing is merged. */
  reviews: number;
  /** Merges go through a queue, never directly. */
  queue: boolean;
};

export type FakeRepository = {
  id: number;
  isPublic: boolean;
  /** As if the credential might not see it: everything is 404. */
  isHidden: boolean;
  takesDrafts: boolean;
  rules: FakeRules;
  /** By login in lower case. */
  people: Map<string, FakePerson>;
  /** Issues that lie here no more, by number; null: deleted. */
  moves: Map<number, { repository: FakeRepository; number: number } | null>;
  owner: string;
  ownerType: 'User' | 'Organization';
  name: string;
  /** Null: the token may not see them. */
  hooks: FakeHook[] | null;
  /** Bare repository; null: branches are only names. */
  gitPath: string | null;
  branches: Map<string, string>;
  lastNumber: number;
  pulls: FakePull[];
  issues: FakeIssue[];
  comments: FakeComment[];
  reviews: FakeReview[];
  lineComments: FakeLineComment[];
  checks: FakeCheck[];
  statuses: FakeStatus[];
  labels: Set<string>;
};

export function newRepository(
  id: number,
  owner: string,
  name: string,
  gitPath: string | null,
): FakeRepository {
  return {
    id,
    owner,
    name,
    gitPath,
    lastNumber: 0,
    hooks: null,
    ownerType: 'Organization',
    isPublic: false,
    isHidden: false,
    takesDrafts: true,
    rules: { reviews: 0, queue: false },
    // Where git is, it knows the branches.
    branches: new Map(gitPath === null ? [['main', '0'.repeat(40)]] : []),
    pulls: [],
    issues: [],
    comments: [],
    reviews: [],
    lineComments: [],
    checks: [],
    statuses: [],
    labels: new Set(),
    people: new Map(),
    moves: new Map(),
  };
}

export function updatedAt({ updated_at, created_at }: FakeComment): string {
  return updated_at ?? created_at;
}

/** How GitHub shows somebody's part in a repository to those who are not of the organisation. */
export function associationOf(repository: FakeRepository, { login }: FakeUser): string {
  if (login.toLowerCase() === repository.owner.toLowerCase()) return 'OWNER';
  const person = repository.people.get(login.toLowerCase());
  if (person?.member === 'public') return 'MEMBER';
  if (person?.isCollaborator === true) return 'COLLABORATOR';
  const hasMerged = repository.pulls.some(
    (pull) => pull.merged_at !== null && pull.user.login === login,
  );
  return hasMerged ? 'CONTRIBUTOR' : 'NONE';
}
