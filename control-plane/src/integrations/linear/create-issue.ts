import { cutText } from '@switchyard/shared/text/cut-text';
import { findState } from '../../ports/tracker/find-state.ts';
import { type StateRoles, TrackerError } from '../../ports/tracker/tracker.ts';
import { CREATE_ISSUE, CREATE_LABEL, LABELS, TEAMS } from './api/documents.ts';
import type { LinearClient } from './api/linear-client.ts';

const MAX_TITLE_CHARS = 500;

export type NewIssue = {
  title: string;
  description?: string;
  labels?: string[];
  priority?: number;
};

/**
 * Creates an issue in its team's first active state and returns its id. Throws `status` when the
 * team is ambiguous.
 */
export async function createLinearIssue(
  ask: LinearClient,
  input: NewIssue,
  where: { team: string | undefined; roles: Pick<StateRoles, 'active'> },
): Promise<string> {
  const team = await teamOf(ask, where.team);
  const names = team.states.nodes.map((state) => state.name);
  const active = where.roles.active.flatMap((wanted) => findState(names, wanted) ?? [])[0];
  const stateId = team.states.nodes.find((state) => state.name === active)?.id;
  const labelIds: string[] = [];
  for (const name of input.labels ?? []) labelIds.push(await labelId(ask, team.id, name));
  const created = await ask(CREATE_ISSUE, {
    input: {
      teamId: team.id,
      title: titleOf(input.title),
      ...(input.description === undefined ? {} : { description: input.description.toWellFormed() }),
      ...(input.priority === undefined ? {} : { priority: input.priority }),
      ...(stateId === undefined ? {} : { stateId }),
      ...(labelIds.length === 0 ? {} : { labelIds: [...new Set(labelIds)] }),
    },
  });
  return created.issueCreate.issue.id;
}

async function teamOf(ask: LinearClient, key: string | undefined) {
  const filter = key ? { key: { eqIgnoreCase: key.trim() } } : {};
  const { teams } = await ask(TEAMS, { filter });
  const [team, another] = teams.nodes;
  if (team === undefined) {
    throw new TrackerError('status', key ? `Linear has no team ${key}` : 'Linear shows no team');
  }
  if (another !== undefined) {
    throw new TrackerError('status', 'Linear has several teams: set tracker.linear.team');
  }
  return team;
}

/**
 * Id of the team's or the workspace's label of this name, which is created in the team if missing.
 */
async function labelId(ask: LinearClient, teamId: string, name: string): Promise<string> {
  const { issueLabels } = await ask(LABELS, { filter: { name: { eqIgnoreCase: name.trim() } } });
  const usable = issueLabels.nodes.filter(({ team }) => !team || team.id === teamId);
  const exact = usable.find((label) => label.name === name.trim()) ?? usable[0];
  if (exact !== undefined) return exact.id;
  const created = await ask(CREATE_LABEL, { input: { name: name.trim(), teamId } });
  return created.issueLabelCreate.issueLabel.id;
}

function titleOf(title: string): string {
  return cutText(title.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/gu, ' ').trim(), MAX_TITLE_CHARS);
}
