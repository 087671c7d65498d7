import { defaultConfig } from '../../control-plane/src/config/schema/config-schema.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { createGitHubTracker } from '../../control-plane/src/integrations/github/tracker/github-tracker.ts';
import { describeTracker, type TrackerHarness } from '../contracts/describe-tracker.ts';
import { createTestPorts } from '../support/test-ports.ts';
import { until } from '../support/e2e/until.ts';
import { githubRest } from './github-rest.ts';
import { type LiveCredentials, requireLive } from './live-credentials.ts';

const LISTED_TIMEOUT_MS = 30_000;
const PREFIX = 'LIVE';
const OPEN_STATES = ['Todo', 'In Progress', 'In Review'];
const MARK = /\n\n<!-- switchyard:(\S+) -->$/;
const ATTACHMENT = /^\[(.*)\]\(<(.*)>\)$/;

type Issue = { id: number; number: number; labels: { name: string }[] };
type Comment = { id: number; body: string };

describeTracker('live github', () => liveHarness(requireLive('github')));

async function liveHarness(given: NonNullable<LiveCredentials['github']>): Promise<TrackerHarness> {
  const [repository] = given.repositories;
  const rest = githubRest(given, repository);
  const made = new Set<number>();
  const config = {
    ...defaultConfig(),
    repos: [{ prefix: `${PREFIX}-`, url: `${given.webUrl}/${repository}.git` }],
    codehost: {
      github: {
        endpoint: given.apiUrl,
        url: given.webUrl,
        token: given.token,
        draft: false,
        labels: [],
        reviewers: [],
        teamReviewers: [],
      },
    },
  };
  const latest = () => config;
  const github = createGitHubConnections({
    config: { latest },
    clock: { nowMs: () => Date.now() },
    resolveSecret: async () => null,
    settingsOf: githubTrackerSettings,
  });
  const tracker = createGitHubTracker({ latest, github, logger: createTestPorts().logger });
  const numberOf = (id: string) => Number(id.slice(id.lastIndexOf('#') + 1));
  const said = (id: string) =>
    rest.ask<Comment[]>('GET', `/issues/${numberOf(id)}/comments?per_page=100`);
  const isAttachment = ({ body }: Comment) => body.includes('switchyard:attachment');
  const move = async (number: number, state: string) => {
    const { labels } = await rest.ask<Issue>('GET', `/issues/${number}`);
    const others = labels.map(({ name }) => name).filter((name) => !OPEN_STATES.includes(name));
    const change =
      state === 'Done'
        ? { state: 'closed', state_reason: 'completed', labels: others }
        : { state: 'open', labels: [...others, state] };
    await rest.ask('PATCH', `/issues/${number}`, change);
  };
  return {
    tracker: {
      ...tracker,
      createIssue: async (input) => {
        const issue = await tracker.createIssue(input);
        made.add(numberOf(issue.id));
        return issue;
      },
    },
    states: { active: 'Todo', inactive: 'In Review', terminal: 'Done' },
    human: {
      createIssue: async ({ title, description, state, priority, labels = [], blockedBy = [] }) => {
        const priorities = priority === undefined ? [] : [`priority: ${priority}`];
        const issue = await rest.ask<Issue>('POST', '/issues', {
          title,
          body: description ?? null,
          labels: [...labels, ...priorities, ...(OPEN_STATES.includes(state) ? [state] : [])],
        });
        const { number } = issue;
        made.add(number);
        if (!OPEN_STATES.includes(state)) await move(number, state);
        for (const id of blockedBy) {
          const blocker = await rest.ask<Issue>('GET', `/issues/${numberOf(id)}`);
          const path = `/issues/${number}/dependencies/blocked_by`;
          await rest.ask('POST', path, { issue_id: blocker.id });
        }
        // A list shows what is new a little later than the issue itself does.
        await until(
          () => rest.ask<Issue[]>('GET', '/issues?state=all&per_page=100'),
          (listed) => listed.some((one) => one.number === number),
          { what: 'the new issue in the list', timeoutMs: LISTED_TIMEOUT_MS },
        );
        return { id: `${repository}#${number}`, identifier: `${PREFIX}-${number}` };
      },
      moveIssue: (id, state) => move(numberOf(id), state),
      comments: async (id) =>
        (await said(id))
          .filter((one) => !isAttachment(one))
          .map((one) => ({ id: String(one.id), body: one.body.replace(MARK, '') })),
      attachments: async (id) =>
        (await said(id))
          .filter(isAttachment)
          .map(({ body }) => ATTACHMENT.exec(body.replace(MARK, '')))
          .map((parts) => ({ url: parts?.[2] ?? '', title: parts?.[1] ?? '' })),
    },
    close: async () => {
      const change = { state: 'closed', state_reason: 'not_planned', labels: [] };
      for (const number of made) await rest.ask('PATCH', `/issues/${number}`, change);
    },
  };
}
