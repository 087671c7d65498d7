import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  CodeHost,
  OpenPullRequest,
} from '../../control-plane/src/ports/code-host/code-host.ts';

/** A code host to be tested, and what a person sees and does in it without our adapter. */
export type CodeHostHarness = {
  codeHost: CodeHost;
  /** Two repositories that it serves and one url that it does not. */
  urls: { first: string; second: string; foreign: string };
  human: {
    openPullRequests(repositoryUrl: string): Promise<{ branch: string; commitSha: string }[]>;
    close(pullRequestId: string): Promise<void>;
  };
  close(): Promise<void>;
};

/** What delivery relies on, whichever code host answers. */
export function describeCodeHost(name: string, makeHarness: () => Promise<CodeHostHarness>): void {
  describe(`code host: ${name}`, () => {
    let harness: CodeHostHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.close());
    const delivery = (overrides: Partial<OpenPullRequest> = {}) => ({
      ...DELIVERY,
      repositoryUrl: harness.urls.first,
      ...overrides,
    });

    it('knows which repositories are its own', () => {
      expect(harness.codeHost.serves(harness.urls.first)).toBe(true);
      expect(harness.codeHost.serves(harness.urls.foreign)).toBe(false);
    });

    it('opens a pull request with what was delivered', async () => {
      const opened = await harness.codeHost.openPullRequest(delivery());
      expect(opened).toMatchObject({
        branch: 'switchyard/sy-1',
        base: 'main',
        commitSha: 'a'.repeat(40),
        title: 'SY-1: Fix it',
        body: 'What & why',
        status: 'open',
        draft: false,
        mergeCommitSha: null,
        diffStat: { files: 1, insertions: 2, deletions: 0 },
        issueIdentifier: 'SY-1',
        attemptId: 'att_000000000001',
      });
      expect(opened.url).not.toBe('');
    });

    it('brings the open one up to date instead of opening a second', async () => {
      const { codeHost, human, urls } = harness;
      const first = await codeHost.openPullRequest(delivery());
      expect(await codeHost.openPullRequest(delivery())).toEqual(first);
      const commitSha = 'b'.repeat(40);
      const newer = {
        commitSha,
        body: 'More',
        diffStat: { files: 2, insertions: 5, deletions: 1 },
      };
      const second = await codeHost.openPullRequest(delivery(newer));
      expect(second).toMatchObject({ id: first.id, number: first.number, ...newer });
      expect(await human.openPullRequests(urls.first)).toEqual([
        { branch: 'switchyard/sy-1', commitSha },
      ]);
    });

    it('opens one when two deliveries of a branch come at once', async () => {
      const { codeHost, human, urls } = harness;
      const opened = await Promise.all([1, 2, 3].map(() => codeHost.openPullRequest(delivery())));
      expect(new Set(opened.map((pullRequest) => pullRequest.id)).size).toBe(1);
      expect(await human.openPullRequests(urls.first)).toHaveLength(1);
    });

    it('opens a new one when a person has closed the last', async () => {
      const { codeHost, human } = harness;
      const first = await codeHost.openPullRequest(delivery());
      await human.close(first.id);
      const second = await codeHost.openPullRequest(delivery());
      expect(second).toMatchObject({ status: 'open', number: first.number + 1 });
      expect(second.id).not.toBe(first.id);
    });

    it('numbers the pull requests of each repository on their own', async () => {
      const { codeHost, urls } = harness;
      const branches = ['one', 'two', 'three', 'four'];
      const opened = await Promise.all(
        branches.map((branch) => codeHost.openPullRequest(delivery({ branch }))),
      );
      expect(new Set(opened.map((pullRequest) => pullRequest.number)).size).toBe(branches.length);
      const elsewhere = await codeHost.openPullRequest(delivery({ repositoryUrl: urls.second }));
      expect(elsewhere.number).toBe(Math.min(...opened.map((pullRequest) => pullRequest.number)));
    });

    it('makes a draft ready, and never a ready one a draft', async () => {
      const { codeHost } = harness;
      expect(await codeHost.openPullRequest(delivery({ draft: true }))).toMatchObject({
        draft: true,
      });
      expect(await codeHost.openPullRequest(delivery())).toMatchObject({ draft: false });
      expect(await codeHost.openPullRequest(delivery({ draft: true }))).toMatchObject({
        draft: false,
      });
    });
  });
}

const DELIVERY: Omit<OpenPullRequest, 'repositoryUrl'> = {
  branch: 'switchyard/sy-1',
  base: 'main',
  baseCommit: '0'.repeat(40),
  commitSha: 'a'.repeat(40),
  title: 'SY-1: Fix it',
  body: 'What & why',
  draft: false,
  diffStat: { files: 1, insertions: 2, deletions: 0 },
  diffBlob: null,
  issueIdentifier: 'SY-1',
  attemptId: 'att_000000000001',
};
