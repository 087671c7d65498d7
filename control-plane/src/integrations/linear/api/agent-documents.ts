import { z } from 'zod';
import { operation } from './documents.ts';

const Success = z.looseObject({ success: z.boolean() });
const Node = z.looseObject({ id: z.string() });

/** Ids are ours, so that a repeated activity is refused instead of said twice. */
export const CREATE_ACTIVITY = operation(
  `mutation CreateAgentActivity($input: AgentActivityCreateInput!) {
    agentActivityCreate(input: $input) { success }
  }`,
  z.looseObject({ agentActivityCreate: Success }),
);

export const ACTIVITY = operation(
  `query AgentActivity($id: String!) { agentActivity(id: $id) { id } }`,
  z.looseObject({ agentActivity: Node }),
);

export const SESSION = operation(
  `query AgentSession($id: String!) { agentSession(id: $id) { id } }`,
  z.looseObject({ agentSession: Node }),
);

/** `externalUrls` replaces all that were there. */
export const UPDATE_SESSION = operation(
  `mutation UpdateAgentSession($id: String!, $input: AgentSessionUpdateInput!) {
    agentSessionUpdate(id: $id, input: $input) { success }
  }`,
  z.looseObject({ agentSessionUpdate: Success }),
);

export const DELEGATE_OF_ISSUE = operation(
  `query DelegateOfIssue($id: String!) { issue(id: $id) { delegate { id } } }`,
  z.looseObject({ issue: z.looseObject({ delegate: Node.nullish() }) }),
);

export const SET_DELEGATE = operation(
  `mutation SetDelegate($id: String!, $delegateId: String!) {
    issueUpdate(id: $id, input: { delegateId: $delegateId }) { success }
  }`,
  z.looseObject({ issueUpdate: Success }),
);
