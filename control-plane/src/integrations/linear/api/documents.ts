import { z } from 'zod';
import {
  DateTime,
  LabelRow,
  nodesOf,
  pageOf,
  RawPage,
  readableNodesOf,
  Ref,
  RelationRow,
  Success,
} from './rows.ts';

/** Nested rows requested for each issue of a page: each costs points whether it exists or not. */
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

const Named = Ref.extend({ name: z.string() });
const Standing = z.looseObject({ updatedAt: DateTime, state: Named });
const States = readableNodesOf(Named.extend({ type: z.string().catch('') }));

/** Defines an operation, named as in its text; responses are checked against the shape. */
export function operation<Shape extends z.core.$ZodLooseShape>(text: string, shape: Shape) {
  const name = /^(?:query|mutation) (\w+)/.exec(text)?.[1] ?? '';
  return { name, text, data: z.looseObject(shape) };
}

/** A page of issues with all fields that are used: about 44 points each. */
export const ISSUES = operation(
  `query Issues($filter: IssueFilter, $first: Int!, $after: String, $archived: Boolean!) {
    issues(filter: $filter, first: $first, after: $after, includeArchived: $archived) {
      nodes { ${ISSUE} } pageInfo { hasNextPage endCursor }
    }
  }`,
  { issues: RawPage },
);

/** A page of probes, to see whether issues changed: 2.5 points each. */
export const ISSUE_PROBES = operation(
  `query IssueProbes($filter: IssueFilter, $first: Int!, $after: String, $archived: Boolean!) {
    issues(filter: $filter, first: $first, after: $after, includeArchived: $archived) {
      nodes { id identifier updatedAt trashed state { name } } pageInfo { hasNextPage endCursor }
    }
  }`,
  { issues: RawPage },
);

/** The issues that another issue blocks. */
export const BLOCKED_ISSUES = operation(
  `query BlockedIssues($filter: IssueFilter, $first: Int!, $after: String) {
    issues(filter: $filter, first: $first, after: $after) {
      nodes { id } pageInfo { hasNextPage endCursor }
    }
  }`,
  { issues: RawPage },
);

/** Further labels of one issue. */
export const LABELS_OF_ISSUE = operation(
  `query LabelsOfIssue($id: String!, $after: String) {
    issue(id: $id) { labels(first: ${FURTHER}, after: $after) {
      nodes { id name } pageInfo { hasNextPage endCursor }
    } }
  }`,
  { issue: z.looseObject({ labels: pageOf(LabelRow) }) },
);

/** Further relations with one issue as the other side. */
export const RELATIONS_OF_ISSUE = operation(
  `query RelationsOfIssue($id: String!, $after: String) {
    issue(id: $id) { inverseRelations(first: ${FURTHER}, after: $after) { ${RELATION} } }
  }`,
  { issue: z.looseObject({ inverseRelations: pageOf(RelationRow) }) },
);

/** The present state of an issue and all states of its team. */
export const STATES_OF_ISSUE = operation(
  `query StatesOfIssue($id: String!) {
    issue(id: $id) { updatedAt state ${STATE} team { states(first: 100) { nodes ${STATE} } } }
  }`,
  { issue: Standing.extend({ team: z.looseObject({ states: States }) }) },
);

export const MOVE_ISSUE = operation(
  `mutation MoveIssue($id: String!, $stateId: String!) {
    issueUpdate(id: $id, input: { stateId: $stateId }) { success issue { updatedAt state ${STATE} } }
  }`,
  { issueUpdate: Success.extend({ issue: Standing.nullish() }) },
);

/** One comment of an issue by id, if it exists. */
export const COMMENT_OF_ISSUE = operation(
  `query CommentOfIssue($id: String!, $commentId: ID!) {
    issue(id: $id) { comments(first: 1, filter: { id: { eq: $commentId } }) { nodes { id body } } }
  }`,
  { issue: z.looseObject({ comments: nodesOf(Ref.extend({ body: z.string() })) }) },
);

export const CREATE_COMMENT = operation(
  `mutation CreateComment($input: CommentCreateInput!) {
    commentCreate(input: $input) { success }
  }`,
  { commentCreate: Success },
);

export const EDIT_COMMENT = operation(
  `mutation EditComment($id: String!, $body: String!) {
    commentUpdate(id: $id, input: { body: $body }) { success }
  }`,
  { commentUpdate: Success },
);

/** An issue has one attachment for each url: a repeated call updates it. */
export const ATTACH = operation(
  `mutation Attach($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success } }`,
  { attachmentCreate: Success },
);

export const TEAMS = operation(
  `query Teams($filter: TeamFilter) {
    teams(first: 2, filter: $filter) { nodes { id states(first: 100) { nodes ${STATE} } } }
  }`,
  { teams: nodesOf(Ref.extend({ states: States })) },
);

export const LABELS = operation(
  `query Labels($filter: IssueLabelFilter) {
    issueLabels(first: 50, filter: $filter) { nodes { id name team { id } } }
  }`,
  { issueLabels: readableNodesOf(Named.extend({ team: Ref.nullish() })) },
);

export const CREATE_LABEL = operation(
  `mutation CreateLabel($input: IssueLabelCreateInput!) {
    issueLabelCreate(input: $input) { success issueLabel { id } }
  }`,
  { issueLabelCreate: Success.extend({ issueLabel: Ref }) },
);

export const CREATE_ISSUE = operation(
  `mutation CreateIssue($input: IssueCreateInput!) {
    issueCreate(input: $input) { success issue { id } }
  }`,
  { issueCreate: Success.extend({ issue: Ref }) },
);

export const VIEWER = operation(
  `query Viewer { viewer { id name } organization { id name urlKey } }`,
  { viewer: Named, organization: z.looseObject({ name: z.string() }) },
);

export const WEBHOOKS = operation(
  `query Webhooks($after: String) {
    webhooks(first: 50, after: $after) {
      nodes { id url enabled } pageInfo { hasNextPage endCursor }
    }
  }`,
  { webhooks: RawPage },
);

export const CREATE_WEBHOOK = operation(
  `mutation CreateWebhook($input: WebhookCreateInput!) {
    webhookCreate(input: $input) { success webhook { id } }
  }`,
  { webhookCreate: Success.extend({ webhook: Ref }) },
);

export const UPDATE_WEBHOOK = operation(
  `mutation UpdateWebhook($id: String!, $input: WebhookUpdateInput!) {
    webhookUpdate(id: $id, input: $input) { success }
  }`,
  { webhookUpdate: Success },
);
