import type { LocalState } from '@switchyard/shared/api/work/local-issue';
import { eq } from 'drizzle-orm';
import {
  localAttachments,
  localComments,
} from '../../control-plane/src/db/schema/work/local-issues.ts';
import { createLocalIssue } from '../../control-plane/src/integrations/local/tracker/create-local-issue.ts';
import { createLocalTracker } from '../../control-plane/src/integrations/local/tracker/local-tracker.ts';
import { updateLocalIssue } from '../../control-plane/src/integrations/local/tracker/update-local-issue.ts';
import { PERSON, createLocalTrackerFixture } from '../support/local-tracker-fixture.ts';
import { createGitHubTrackerHarness } from '../support/github/github-tracker-harness.ts';
import { createLinearHarness } from '../support/linear/linear-harness.ts';
import { type TrackerHarness, describeTracker } from './describe-tracker.ts';

describeTracker('local', async (): Promise<TrackerHarness> => {
  const { deps, close } = await createLocalTrackerFixture();
  const tracker = createLocalTracker(deps);
  const identifierOf = async (id: string) => (await tracker.fetchByIds([id]))[0]!.identifier;
  return {
    tracker,
    states: { active: 'Todo', inactive: 'In Review', terminal: 'Done' },
    human: {
      createIssue: async ({ state, blockedBy, ...rest }) => {
        const identifiers = await Promise.all((blockedBy ?? []).map(identifierOf));
        const input = { ...rest, state: state as LocalState, blockedBy: identifiers };
        const { id, identifier } = await createLocalIssue(deps, PERSON, input);
        return { id, identifier };
      },
      moveIssue: async (id, state) => {
        const identifier = await identifierOf(id);
        const changes = { state: state as LocalState };
        await updateLocalIssue(deps, PERSON, { identifier, changes });
      },
      comments: (id) =>
        deps.db
          .select({ id: localComments.id, body: localComments.body })
          .from(localComments)
          .where(eq(localComments.issue_id, id)),
      attachments: (id) =>
        deps.db
          .select({ url: localAttachments.url, title: localAttachments.title })
          .from(localAttachments)
          .where(eq(localAttachments.issue_id, id)),
    },
    close,
  };
});

describeTracker('linear', async (): Promise<TrackerHarness> => {
  const { fake, tracker, close } = await createLinearHarness();
  const { world } = fake;
  return {
    tracker,
    states: { active: 'Todo', inactive: 'In Review', terminal: 'Done' },
    human: {
      createIssue: async ({ state, labels = [], ...rest }) => {
        const labelIds = labels.map((name) => world.labelNamed(name).id);
        const stateId = world.stateNamed(state).id;
        const issue = world.add({ ...rest, stateId, labelIds }, world.ada);
        return { id: issue.id, identifier: world.identifier(issue) };
      },
      moveIssue: async (id, state) => {
        world.change(id, { stateId: world.stateNamed(state).id }, world.ada);
      },
      comments: async (id) =>
        world.comments.filter((one) => one.issueId === id).map(({ id, body }) => ({ id, body })),
      attachments: async (id) =>
        world.attachments
          .filter((one) => one.issueId === id)
          .map(({ url, title }) => ({ url, title })),
    },
    ignoreMoves() {
      world.ignoresMoves = 'silently';
    },
    close,
  };
});

describeTracker('github', createGitHubTrackerHarness);
describeTracker('github with a project', () => createGitHubTrackerHarness({ inProject: true }));
