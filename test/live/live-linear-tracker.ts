import { describeTracker, type TrackerHarness } from '../contracts/describe-tracker.ts';
import { openLinear } from '../support/linear/open-linear.ts';
import { type LiveCredentials, requireLive } from './live-credentials.ts';

const ANSWER_TIMEOUT_MS = 30_000;
const TEAM = `query LiveTeam($key: String!) {
  teams(filter: { key: { eqIgnoreCase: $key } }) {
    nodes { id states { nodes { id name } } labels { nodes { id name } } }
  }
}`;
const CREATE = `mutation LiveCreate($input: IssueCreateInput!) {
  issueCreate(input: $input) { issue { id identifier } }
}`;
const LABEL = `mutation LiveLabel($input: IssueLabelCreateInput!) {
  issueLabelCreate(input: $input) { issueLabel { id name } }
}`;
const BLOCK = `mutation LiveBlock($input: IssueRelationCreateInput!) {
  issueRelationCreate(input: $input) { success }
}`;
const MOVE = `mutation LiveMove($id: String!, $stateId: String!) {
  issueUpdate(id: $id, input: { stateId: $stateId }) { success }
}`;
const SHOWN = `query LiveShown($id: String!) {
  issue(id: $id) { comments { nodes { id body } } attachments { nodes { url title } } }
}`;
const ARCHIVE = `mutation LiveArchive($id: String!) { issueArchive(id: $id) { success } }`;

type Named = { id: string; name: string };
type Team = { id: string; states: { nodes: Named[] }; labels: { nodes: Named[] } };
type Shown = {
  issue: {
    comments: { nodes: { id: string; body: string }[] };
    attachments: { nodes: { url: string; title: string }[] };
  };
};

describeTracker('live linear', () => liveHarness(requireLive('linear')));

async function liveHarness(given: NonNullable<LiveCredentials['linear']>): Promise<TrackerHarness> {
  const made: string[] = [];
  const { tracker } = openLinear({
    endpoint: given.endpoint,
    credential: () => given.apiKey,
    scope: { team: given.team },
    clock: { nowMs: () => Date.now() },
  });
  const call = <T>(query: string, variables: object) => asked<T>(given, query, variables);
  const { teams } = await call<{ teams: { nodes: Team[] } }>(TEAM, { key: given.team });
  const [team] = teams.nodes;
  if (team === undefined) throw new Error(`there is no team ${given.team}`);
  const stateId = (name: string) => {
    const found = team.states.nodes.find((state) => state.name === name);
    if (found === undefined) throw new Error(`the team has no state ${name}`);
    return found.id;
  };
  const labelId = async (name: string): Promise<string> => {
    const found = team.labels.nodes.find((label) => label.name === name);
    if (found !== undefined) return found.id;
    const input = { name, teamId: team.id };
    const created = await call<{ issueLabelCreate: { issueLabel: Named } }>(LABEL, { input });
    team.labels.nodes.push(created.issueLabelCreate.issueLabel);
    return created.issueLabelCreate.issueLabel.id;
  };
  return {
    tracker: {
      ...tracker,
      createIssue: async (input) => {
        const issue = await tracker.createIssue(input);
        made.push(issue.id);
        return issue;
      },
    },
    states: { active: 'Todo', inactive: 'In Review', terminal: 'Done' },
    human: {
      createIssue: async ({ state, labels = [], blockedBy = [], ...rest }) => {
        const labelIds: string[] = [];
        for (const name of labels) labelIds.push(await labelId(name));
        const input = { ...rest, teamId: team.id, stateId: stateId(state), labelIds };
        type Created = { issueCreate: { issue: { id: string; identifier: string } } };
        const { issue } = (await call<Created>(CREATE, { input })).issueCreate;
        made.push(issue.id);
        for (const issueId of blockedBy) {
          await call(BLOCK, { input: { issueId, relatedIssueId: issue.id, type: 'blocks' } });
        }
        return issue;
      },
      moveIssue: async (id, state) => void (await call(MOVE, { id, stateId: stateId(state) })),
      comments: async (id) => (await call<Shown>(SHOWN, { id })).issue.comments.nodes,
      attachments: async (id) => (await call<Shown>(SHOWN, { id })).issue.attachments.nodes,
    },
    close: async () => {
      for (const id of made) await call(ARCHIVE, { id });
    },
  };
}

async function asked<T>(
  { endpoint, apiKey }: { endpoint: string; apiKey: string },
  query: string,
  variables: object,
): Promise<T> {
  const operationName = /^(?:query|mutation) (\w+)/.exec(query)?.[1];
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: apiKey },
    body: JSON.stringify({ query, variables, operationName }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const answer = (await response.json()) as { data?: T; errors?: unknown };
  if (answer.data === undefined || answer.errors !== undefined) {
    throw new Error(`Linear answered ${response.status} ${JSON.stringify(answer.errors)}`);
  }
  return answer.data;
}
