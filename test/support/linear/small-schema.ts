/** What the fake answers where Linear's published schema is not at hand. */
export const SMALL_SCHEMA = `
scalar DateTime
scalar DateTimeOrDuration
scalar JSON
scalar JSONObject
type PageInfo { hasNextPage: Boolean! endCursor: String }
type User { id: ID! name: String! email: String! isMe: Boolean! }
type Organization { id: ID! name: String! urlKey: String! }
type WorkflowState { id: ID! name: String! type: String! }
type WorkflowStateConnection { nodes: [WorkflowState!]! pageInfo: PageInfo! }
type Team { id: ID! key: String! name: String! states(first: Int, after: String): WorkflowStateConnection! }
type TeamConnection { nodes: [Team!]! pageInfo: PageInfo! }
type Project { id: ID! slugId: String! }
type IssueLabel { id: ID! name: String! team: Team }
type IssueLabelConnection { nodes: [IssueLabel!]! pageInfo: PageInfo! }
type IssueRelation { id: ID! type: String! issue: Issue! relatedIssue: Issue! }
type IssueRelationConnection { nodes: [IssueRelation!]! pageInfo: PageInfo! }
type ActorBot { id: ID type: String! }
type Comment {
  id: ID! body: String! createdAt: DateTime! user: User botActor: ActorBot parentId: String
  issueId: String issue: Issue
}
type CommentConnection { nodes: [Comment!]! pageInfo: PageInfo! }
type Attachment { id: ID! title: String! url: String! }
type Issue {
  id: ID! identifier: String! title: String! description: String priority: Float!
  branchName: String! url: String! createdAt: DateTime! updatedAt: DateTime! archivedAt: DateTime
  trashed: Boolean state: WorkflowState! assignee: User delegate: User creator: User team: Team! project: Project
  labels(first: Int, after: String): IssueLabelConnection!
  inverseRelations(first: Int, after: String): IssueRelationConnection!
  comments(filter: CommentFilter, first: Int, after: String): CommentConnection!
}
type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }
type Webhook { id: ID! url: String enabled: Boolean! }
type WebhookConnection { nodes: [Webhook!]! pageInfo: PageInfo! }
input IDComparator { eq: ID in: [ID!] }
input StringComparator { eq: String eqIgnoreCase: String in: [String!] }
input DateComparator { gt: DateTimeOrDuration gte: DateTimeOrDuration }
input CommentFilter { id: IDComparator createdAt: DateComparator issue: IssueFilter }
input RelationExistsComparator { eq: Boolean }
input StateFilter { name: StringComparator }
input TeamFilter { key: StringComparator }
input ProjectFilter { slugId: StringComparator }
input IssueLabelFilter { name: StringComparator }
input IssueFilter {
  id: IDComparator state: StateFilter team: TeamFilter project: ProjectFilter
  updatedAt: DateComparator hasBlockedByRelations: RelationExistsComparator or: [IssueFilter!]
}
input IssueUpdateInput { stateId: String delegateId: String }
enum AgentActivitySignal { auth continue select stop }
type AgentActivity { id: ID! }
type AgentSession { id: ID! }
input AgentActivityCreateInput {
  id: String agentSessionId: String! content: JSONObject! ephemeral: Boolean
  signal: AgentActivitySignal signalMetadata: JSONObject
}
input AgentSessionExternalUrlInput { label: String! url: String! }
input AgentSessionUpdateInput { externalUrls: [AgentSessionExternalUrlInput!] }
type AgentActivityPayload { success: Boolean! agentActivity: AgentActivity! }
type AgentSessionPayload { success: Boolean! agentSession: AgentSession! }
input IssueCreateInput {
  teamId: String! title: String description: String priority: Int stateId: String labelIds: [String!]
}
input CommentCreateInput { id: String issueId: String body: String }
input CommentUpdateInput { body: String }
input AttachmentCreateInput { issueId: String! url: String! title: String! }
input IssueLabelCreateInput { name: String! teamId: String }
input WebhookCreateInput {
  url: String! secret: String resourceTypes: [String!]! teamId: String allPublicTeams: Boolean
  label: String enabled: Boolean
}
input WebhookUpdateInput { url: String secret: String resourceTypes: [String!] enabled: Boolean }
type IssuePayload { success: Boolean! issue: Issue }
type CommentPayload { success: Boolean! comment: Comment! }
type AttachmentPayload { success: Boolean! attachment: Attachment! }
type IssueLabelPayload { success: Boolean! issueLabel: IssueLabel! }
type WebhookPayload { success: Boolean! webhook: Webhook! }
type Query {
  viewer: User!
  organization: Organization!
  issue(id: String!): Issue!
  issues(filter: IssueFilter, first: Int, after: String, includeArchived: Boolean): IssueConnection!
  issueLabels(filter: IssueLabelFilter, first: Int, after: String): IssueLabelConnection!
  comments(filter: CommentFilter, first: Int, after: String): CommentConnection!
  teams(filter: TeamFilter, first: Int, after: String): TeamConnection!
  webhooks(first: Int, after: String): WebhookConnection!
  agentSession(id: String!): AgentSession!
  agentActivity(id: String!): AgentActivity!
}
type Mutation {
  issueCreate(input: IssueCreateInput!): IssuePayload!
  issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
  commentCreate(input: CommentCreateInput!): CommentPayload!
  commentUpdate(id: String!, input: CommentUpdateInput!): CommentPayload!
  attachmentCreate(input: AttachmentCreateInput!): AttachmentPayload!
  agentActivityCreate(input: AgentActivityCreateInput!): AgentActivityPayload!
  agentSessionUpdate(id: String!, input: AgentSessionUpdateInput!): AgentSessionPayload!
  issueLabelCreate(input: IssueLabelCreateInput!): IssueLabelPayload!
  webhookCreate(input: WebhookCreateInput!): WebhookPayload!
  webhookUpdate(id: String!, input: WebhookUpdateInput!): WebhookPayload!
}`;
