import { z } from 'zod';
import type { LinearOperation } from './linear-client.ts';
import { LabelRow, PageInfo, RawPage, RelationRow } from './rows.ts';

/** What each issue of a page may have of them: each costs points whether it is there or not. */
const NESTED_LABELS = 10;
const NESTED_RELATIONS = 5;
const FURTHER = 20;
const PERSON = '{ id name email isMe }';
const STATE = '{ id name type }';
const RELATION = `nodes { type issue { id identifier state ${STATE} } } pageInfo { hasNextPage endCursor }`;
const ISSUE = `id identifier title description priority branchName url createdAt updatedAt trashed
  archivedAt state ${STATE} assignee ${PERSON} delegate ${PERSON} creator ${PERSON} team { id key } project { slugId }
  labels(first: ${NESTED_LABELS}) { nodes { id name } pageInfo { hasNextPage endCursor } }
  inverseRelations(first: ${NESTED_RELATIONS}) { ${RELATION} }`;

const Success = z.looseObject({ success: z.boolean() });
const States = z.looseObject({
  nodes: z.array(z.looseObject({ id: z.string(), name: z.string(), type: z.string().catch('') })),
});

/** An operation named as its text says; the answer is checked by the schema. */
export function operation<Data>(text: string, data: z.ZodType<Data>): LinearOperation<Data> {
  const name = /^(?:query|mutation) (\w+)/.exec(text)?.[1] ?? '';
  return { name, text, data };
}

/** A page of issues with all that is used of them: about 44 points each. */
export const ISSUES = operation(
  `query Issues($filter: IssueFilter, $first: Int!, $after: String, $archived: Boolean!) {
    issues(filter: $filter, first: $first, after: $after, includeArchived: $archived) {
      nodes { ${ISSUE} } pageInfo { hasNextPage endCursor }
    }
  }`,
  z.looseObject({ issues: RawPage }),
);

/** Whether issues changed: 2.4 points each. */
export const GLIMPSES = operation(
  `query Glimpses($filter: IssueFilter, $first: Int!, $after: String, $archived: Boolean!) {
    issues(filter: $filter, first: $first, after: $after, includeArchived: $archived) {
      nodes { id updatedAt trashed state { name } } pageInfo { hasNextPage endCursor }
    }
  }`,
  z.looseObject({ issues: RawPage }),
);

/** Which issues another one blocks. */
export const BLOCKED_ISSUES = operation(
  `query BlockedIssues($filter: IssueFilter, $first: Int!, $after: String) {
    issues(filter: $filter, first: $first, after: $after) {
      nodes { id } pageInfo { hasNextPage endCursor }
    }
  }`,
  z.looseObject({
    issues: z.looseObject({
      nodes: z.array(z.looseObject({ id: z.string() })),
      pageInfo: PageInfo,
    }),
  }),
);

/** Further labels of one issue. */
export const LABELS_OF_ISSUE = operation(
  `query LabelsOfIssue($id: String!, $after: String) {
    issue(id: $id) { labels(first: ${FURTHER}, after: $after) {
      nodes { id name } pageInfo { hasNextPage endCursor }
    } }
  }`,
  z.looseObject({
    issue: z.looseObject({
      labels: z.looseObject({ nodes: z.array(LabelRow), pageInfo: PageInfo }),
    }),
  }),
);

/** Further relations in which one issue is the other side. */
export const RELATIONS_OF_ISSUE = operation(
  `query RelationsOfIssue($id: String!, $after: String) {
    issue(id: $id) { inverseRelations(first: ${FURTHER}, after: $after) { ${RELATION} } }
  }`,
  z.looseObject({
    issue: z.looseObject({
      inverseRelations: z.looseObject({ nodes: z.array(RelationRow), pageInfo: PageInfo }),
    }),
  }),
);

/** Present state of an issue and all states of its team. */
export const STATES_OF_ISSUE = operation(
  `query StatesOfIssue($id: String!) {
    issue(id: $id) { state ${STATE} team { states(first: 100) { nodes ${STATE} } } }
  }`,
  z.looseObject({
    issue: z.looseObject({
      state: z.looseObject({ id: z.string(), name: z.string() }),
      team: z.looseObject({ states: States }),
    }),
  }),
);

export const MOVE_ISSUE = operation(
  `mutation MoveIssue($id: String!, $stateId: String!) {
    issueUpdate(id: $id, input: { stateId: $stateId }) { success }
  }`,
  z.looseObject({ issueUpdate: Success }),
);

/** One comment of an issue by its id, if it is there. */
export const COMMENT_OF_ISSUE = operation(
  `query CommentOfIssue($id: String!, $commentId: ID!) {
    issue(id: $id) { comments(first: 1, filter: { id: { eq: $commentId } }) { nodes { id body } } }
  }`,
  z.looseObject({
    issue: z.looseObject({
      comments: z.looseObject({
        nodes: z.array(z.looseObject({ id: z.string(), body: z.string() })),
      }),
    }),
  }),
);

export const CREATE_COMMENT = operation(
  `mutation CreateComment($input: CommentCreateInput!) {
    commentCreate(input: $input) { success }
  }`,
  z.looseObject({ commentCreate: Success }),
);

export const EDIT_COMMENT = operation(
  `mutation EditComment($id: String!, $body: String!) {
    commentUpdate(id: $id, input: { body: $body }) { success }
  }`,
  z.looseObject({ commentUpdate: Success }),
);

/** For one issue and address there is one attachment: again means new words on it. */
export const ATTACH = operation(
  `mutation Attach($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success } }`,
  z.looseObject({ attachmentCreate: Success }),
);

export const TEAMS = operation(
  `query Teams($filter: TeamFilter) {
    teams(first: 2, filter: $filter) { nodes { id states(first: 100) { nodes ${STATE} } } }
  }`,
  z.looseObject({
    teams: z.looseObject({ nodes: z.array(z.looseObject({ id: z.string(), states: States })) }),
  }),
);

export const LABELS = operation(
  `query Labels($filter: IssueLabelFilter) {
    issueLabels(first: 50, filter: $filter) { nodes { id name team { id } } }
  }`,
  z.looseObject({
    issueLabels: z.looseObject({
      nodes: z.array(
        z.looseObject({
          id: z.string(),
          name: z.string(),
          team: z.looseObject({ id: z.string() }).nullish(),
        }),
      ),
    }),
  }),
);

export const CREATE_LABEL = operation(
  `mutation CreateLabel($input: IssueLabelCreateInput!) {
    issueLabelCreate(input: $input) { issueLabel { id } }
  }`,
  z.looseObject({
    issueLabelCreate: z.looseObject({ issueLabel: z.looseObject({ id: z.string() }) }),
  }),
);

export const CREATE_ISSUE = operation(
  `mutation CreateIssue($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }`,
  z.looseObject({ issueCreate: z.looseObject({ issue: z.looseObject({ id: z.string() }) }) }),
);

export const VIEWER = operation(
  `query Viewer { viewer { id name } organization { id name urlKey } }`,
  z.looseObject({
    viewer: z.looseObject({ id: z.string(), name: z.string() }),
    organization: z.looseObject({ name: z.string() }),
  }),
);

export const WEBHOOKS = operation(
  `query Webhooks($after: String) {
    webhooks(first: 50, after: $after) {
      nodes { id url enabled } pageInfo { hasNextPage endCursor }
    }
  }`,
  z.looseObject({
    webhooks: z.looseObject({
      nodes: z.array(
        z.looseObject({ id: z.string(), url: z.string().nullish(), enabled: z.boolean() }),
      ),
      pageInfo: PageInfo,
    }),
  }),
);

export const CREATE_WEBHOOK = operation(
  `mutation CreateWebhook($input: WebhookCreateInput!) {
    webhookCreate(input: $input) { success webhook { id } }
  }`,
  z.looseObject({ webhookCreate: z.looseObject({ webhook: z.looseObject({ id: z.string() }) }) }),
);

export const UPDATE_WEBHOOK = operation(
  `mutation UpdateWebhook($id: String!, $input: WebhookUpdateInput!) {
    webhookUpdate(id: $id, input: $input) { success }
  }`,
  z.looseObject({ webhookUpdate: Success }),
);
