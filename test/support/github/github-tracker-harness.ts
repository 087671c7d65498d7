import { createGitHubConnections } from '../../../control-plane/src/integrations/github/api/github-connections.ts';
import { defaultConfig } from '../../../control-plane/src/config/schema/config-schema.ts';
import { githubTrackerSettings } from '../../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { createGitHubTracker } from '../../../control-plane/src/integrations/github/tracker/github-tracker.ts';
import type { HumanIssue, TrackerHarness } from '../../contracts/describe-tracker.ts';
import { createTestPorts } from '../test-ports.ts';
import { FakeGitHub } from './fake-github.ts';
import { blockers } from './fake-issue-routes.ts';
import type { FakeIssue, FakeRepository } from './fake-state.ts';

const MARK = /\n\n<!-- switchyard:(\S+) -->$/;
const ATTACHMENT = /^\[(.*)\]\(<(.*)>\)$/;

/** The tracker over a fake GitHub with one repository. */
export async function createGitHubTrackerHarness(options: { inProject?: boolean } = {}): Promise<
  TrackerHarness & {
    fake: FakeGitHub;
    repository: FakeRepository;
    /** A route to another repository. */
    addRoute(prefix: string, to: FakeRepository): void;
  }
> {
  const fake = await FakeGitHub.start();
  const repository = fake.addRepository('acme', 'shop');
  const plain = defaultConfig();
  const project = { owner: 'acme', number: 3, field: 'Stage' };
  if (options.inProject === true) {
    const states = ['Todo', 'In Progress', 'In Review', 'Done'];
    fake.project = { ...project, options: states, values: new Map() };
  }
  const config = {
    ...plain,
    tracker: {
      ...plain.tracker,
      ...(options.inProject === true ? { github: { project } } : {}),
    },
    repos: [{ prefix: 'SHOP-', url: fake.urlOf(repository) }],
    codehost: {
      github: {
        endpoint: fake.apiUrl,
        url: fake.webUrl,
        token: fake.credentials.token,
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
  const find = (id: string) => {
    const found = repository.issues.find((one) => id.endsWith(`#${one.number}`));
    if (found === undefined) throw new Error(`there is no issue ${id}`);
    return found;
  };
  const said = (id: string) => repository.comments.filter((one) => one.issue === find(id).number);
  return {
    fake,
    repository,
    tracker,
    addRoute: (prefix, to) => void config.repos.push({ prefix, url: fake.urlOf(to) }),
    states: { active: 'Todo', inactive: 'In Review', terminal: 'Done' },
    human: {
      async createIssue(given) {
        const issue = addIssue(fake, repository, given);
        const numbers = (given.blockedBy ?? []).map((id) => find(id).number);
        const known = blockers.get(repository) ?? new Map<number, number[]>();
        blockers.set(repository, known.set(issue.number, numbers));
        return { id: `acme/shop#${issue.number}`, identifier: `SHOP-${issue.number}` };
      },
      async moveIssue(id, state) {
        move(fake, find(id), state);
      },
      comments: async (id) =>
        said(id)
          .filter(({ body }) => !body.includes('switchyard:attachment'))
          .map((one) => ({ id: String(one.id), body: one.body.replace(MARK, '') })),
      attachments: async (id) =>
        said(id)
          .filter(({ body }) => body.includes('switchyard:attachment'))
          .map(({ body }) => ATTACHMENT.exec(body.replace(MARK, '')))
          .map((parts) => ({ url: parts?.[2] ?? '', title: parts?.[1] ?? '' })),
    },
    ignoreMoves() {
      fake.ignoresChanges = true;
    },
    close: () => fake.close(),
  };
}

function addIssue(fake: FakeGitHub, repository: FakeRepository, given: HumanIssue): FakeIssue {
  repository.lastNumber += 1;
  const now = new Date().toISOString();
  const issue: FakeIssue = {
    id: fake.nextId(),
    number: repository.lastNumber,
    state: 'open',
    state_reason: null,
    title: given.title,
    body: given.description ?? null,
    labels: [
      ...(given.labels ?? []),
      ...(given.priority === undefined ? [] : [`priority: ${given.priority}`]),
    ],
    assignees: [],
    user: { login: 'ada', id: 7, type: 'User' },
    created_at: now,
    updated_at: now,
    isPull: false,
  };
  repository.issues.push(issue);
  move(fake, issue, given.state);
  return issue;
}

/** As people do it: labels for the states of open issues, closing for the end. */
function move({ project }: FakeGitHub, issue: FakeIssue, state: string): void {
  if (project !== null) {
    project.values.set(`I_${issue.id}`, state);
    issue.state = state === 'Done' ? 'closed' : 'open';
    return;
  }
  issue.labels = issue.labels.filter(
    (name) => !['Todo', 'In Progress', 'In Review'].includes(name),
  );
  issue.state = state === 'Done' ? 'closed' : 'open';
  issue.state_reason = state === 'Done' ? 'completed' : null;
  if (state !== 'Done') issue.labels.push(state);
}
