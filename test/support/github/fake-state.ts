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
  author_association: string;
  created_at: string;
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

export type FakeRepository = {
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

export function newRepository(owner: string, name: string, gitPath: string | null): FakeRepository {
  return {
    ...{ owner, name, gitPath, lastNumber: 0, hooks: null, ownerType: 'Organization' },
    branches: new Map(),
    ...{ pulls: [], issues: [], comments: [], reviews: [], lineComments: [] },
    ...{ checks: [], statuses: [], labels: new Set() },
  };
}
