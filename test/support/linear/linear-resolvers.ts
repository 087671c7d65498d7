import { randomUUID } from 'node:crypto';
import { connection, passes } from './connection.ts';
import type { LinearWorkspace } from './linear-workspace.ts';
import { type FakeComment, type FakeIssue, type FakePerson, notFound } from './linear-rows.ts';

type Paging = { first?: number | null; after?: string | null };
type Filtered = Paging & { filter?: object | null };
type Inputs = {
  issue: {
    teamId: string;
    title?: string;
    description?: string;
    priority?: number;
    stateId?: string;
    labelIds?: string[];
  };
  comment: { id?: string; issueId?: string; body?: string };
  attachment: { issueId: string; url: string; title: string };
  webhook: { url: string; secret?: string; enabled?: boolean };
  issueChange: { stateId?: string; delegateId?: string };
};

/** The fields of Query and Mutation that our documents use, over one workspace. */
export function linearResolvers(world: LinearWorkspace, actor: FakePerson) {
  const done = { success: true, lastSyncId: 1 };
  const shape = shapes(world);
  return {
    viewer: () => actor,
    organization: () => ({ id: randomUUID(), name: 'Fake', urlKey: 'fake' }),
    issue: ({ id }: { id: string }) => shape.issue(world.issue(id)),
    issues: ({ filter, includeArchived, ...page }: Filtered & { includeArchived?: boolean }) => {
      const rows = [...world.issues.values()]
        .filter((issue) => includeArchived === true || !issue.archived)
        .filter((issue) => passes(plain(world, issue), filter));
      return connection(rows, page, shape.issue);
    },
    comments: ({ filter, ...page }: Filtered) =>
      connection(newestFirst(world, filter), page, shape.comment),
    issueLabels: ({ filter, ...page }: Filtered) =>
      connection(
        world.labels.filter((label) => passes(label, filter)),
        page,
        shape.label,
      ),
    teams: ({ filter, ...page }: Filtered) =>
      connection(
        [{ id: world.teamId, key: world.teamKey }].filter((team) => passes(team, filter)),
        page,
        shape.team,
      ),
    webhooks: (page: Paging) => connection(world.webhooks, page, (webhook) => webhook),
    issueCreate: ({ input }: { input: Inputs['issue'] }) => {
      const { teamId, title = '', ...rest } = input;
      if (teamId !== world.teamId) throw notFound('Team');
      return { ...done, issue: shape.issue(world.add({ title, ...rest }, actor)) };
    },
    issueUpdate: ({ id, input }: { id: string; input: Inputs['issueChange'] }) => {
      const { stateId, delegateId } = input;
      if (stateId !== undefined) world.state(stateId);
      if (stateId !== undefined && world.ignoresMoves !== null) {
        const success = world.ignoresMoves === 'silently';
        return { ...done, success, issue: shape.issue(world.issue(id)) };
      }
      if (delegateId !== undefined && delegateId !== world.me.id) throw notFound('User');
      const changes = {
        ...(stateId === undefined ? {} : { stateId }),
        ...(delegateId === undefined ? {} : { delegate: world.me }),
      };
      return { ...done, issue: shape.issue(world.change(id, changes, actor)) };
    },
    ...sessionFields(world, actor, done),
    commentCreate: ({ input }: { input: Inputs['comment'] }) => ({
      ...done,
      comment: world.say(input.issueId ?? '', input.body ?? '', actor, { id: input.id }),
    }),
    commentUpdate: ({ id, input }: { id: string; input: { body?: string } }) => {
      const comment = world.comments.find((one) => one.id === id);
      if (comment === undefined) throw notFound('Comment');
      comment.body = input.body ?? comment.body;
      const issue = world.issue(comment.issueId);
      world.tell({ type: 'Comment', action: 'update', issue, comment, actor });
      return { ...done, comment };
    },
    attachmentCreate: ({ input }: { input: Inputs['attachment'] }) => {
      const { id: issueId } = world.issue(input.issueId);
      const same = world.attachments.find(
        (one) => one.issueId === issueId && one.url === input.url,
      );
      if (same !== undefined) same.title = input.title;
      const attachment = same ?? { id: randomUUID(), issueId, url: input.url, title: input.title };
      if (same === undefined) world.attachments.push(attachment);
      return { ...done, attachment };
    },
    issueLabelCreate: ({ input }: { input: { name: string } }) => ({
      ...done,
      issueLabel: shape.label(world.labelNamed(input.name)),
    }),
    webhookCreate: ({ input }: { input: Inputs['webhook'] }) => {
      const { url, secret = randomUUID(), enabled = true } = input;
      const webhook = { id: randomUUID(), url, secret, enabled };
      world.webhooks.push(webhook);
      return { ...done, webhook };
    },
    webhookUpdate: ({ id, input }: { id: string; input: Partial<Inputs['webhook']> }) => {
      const webhook = world.webhooks.find((one) => one.id === id);
      if (webhook === undefined) throw notFound('Webhook');
      return { ...done, webhook: Object.assign(webhook, input) };
    },
  };
}

function shapes(world: LinearWorkspace) {
  const team = () => ({
    id: world.teamId,
    key: world.teamKey,
    name: 'Engineering',
    states: (page: Paging) => connection(world.states, page, (state) => state),
  });
  const label = ({ id, name }: { id: string; name: string }) => ({ id, name, team });
  const comment = ({ id, body, user, parentId, issueId, createdAtMs }: FakeComment): object => ({
    id,
    body,
    user,
    parentId,
    issueId,
    // Linear's own words are by an app.
    botActor: user === null ? { type: 'linear' } : null,
    createdAt: iso(createdAtMs),
    issue: () => issue(world.issue(issueId)),
  });
  const issue = (row: FakeIssue): object => ({
    ...plain(world, row),
    description: row.description,
    priority: row.priority,
    branchName: `ada/${world.identifier(row).toLowerCase()}`,
    url: `https://linear.example/fake/issue/${world.identifier(row)}`,
    trashed: false,
    archivedAt: row.archived ? iso(row.updatedAtMs) : null,
    assignee: row.assignee,
    delegate: row.delegate,
    creator: row.creator,
    team,
    labels: (page: Paging) =>
      connection(
        world.labels.filter(({ id }) => row.labelIds.includes(id)),
        page,
        label,
      ),
    inverseRelations: (page: Paging) =>
      connection(
        row.blockedBy.map((id) => ({ id, type: 'blocks' })),
        page,
        ({ id, type }) => ({
          id,
          type,
          issue: () => issue(world.issue(id)),
          relatedIssue: () => issue(row),
        }),
      ),
    comments: ({ filter, ...page }: Filtered) =>
      connection(
        newestFirst(world, filter).filter((one) => one.issueId === row.id),
        page,
        comment,
      ),
  });
  return { team, label, issue, comment };
}

type NewActivity = Parameters<LinearWorkspace['sessions']['create']>[0];
type Links = { externalUrls?: { label: string; url: string }[] };

function sessionFields(world: LinearWorkspace, actor: FakePerson, done: object) {
  const { sessions } = world;
  return {
    agentSession: ({ id }: { id: string }) => ({ id: sessions.session(id).id }),
    agentActivity: ({ id }: { id: string }) => ({ id: sessions.activity(id).id }),
    agentActivityCreate: ({ input }: { input: NewActivity }) => ({
      ...done,
      agentActivity: { id: sessions.create(input, actor).id },
    }),
    agentSessionUpdate: ({ id, input }: { id: string; input: Links }) => ({
      ...done,
      agentSession: { id: sessions.link(id, input.externalUrls ?? []).id },
    }),
  };
}

/** Comments that pass, in Linear's order. */
function newestFirst(world: LinearWorkspace, filter: object | null | undefined): FakeComment[] {
  return world.comments
    .filter((one) => {
      const issue = plain(world, world.issue(one.issueId));
      return passes({ id: one.id, createdAt: iso(one.createdAtMs), issue }, filter);
    })
    .toSorted((a, b) => b.createdAtMs - a.createdAtMs);
}

/** What filters look at. */
function plain(world: LinearWorkspace, row: FakeIssue) {
  return {
    id: row.id,
    identifier: world.identifier(row),
    title: row.title,
    state: world.state(row.stateId),
    team: { id: world.teamId, key: world.teamKey },
    project: row.projectSlug === null ? null : { id: row.projectSlug, slugId: row.projectSlug },
    createdAt: iso(row.createdAtMs),
    updatedAt: iso(row.updatedAtMs),
    hasBlockedByRelations: row.blockedBy.length > 0,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
