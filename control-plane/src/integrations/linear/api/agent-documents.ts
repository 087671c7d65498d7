import { z } from 'zod';
import { operation } from './documents.ts';
import { Ref, Success } from './rows.ts';

/** Ids are generated here, so that a repeated activity is refused as a duplicate. */
export const CREATE_ACTIVITY = operation(
  `mutation CreateAgentActivity($input: AgentActivityCreateInput!) {
    agentActivityCreate(input: $input) { success }
  }`,
  { agentActivityCreate: Success },
);

export const ACTIVITY = operation(
  `query AgentActivity($id: String!) { agentActivity(id: $id) { id } }`,
  { agentActivity: Ref },
);

export const SESSION = operation(
  `query AgentSession($id: String!) { agentSession(id: $id) { id } }`,
  { agentSession: Ref },
);

/** `externalUrls` replaces all former urls. */
export const UPDATE_SESSION = operation(
  `mutation UpdateAgentSession($id: String!, $input: AgentSessionUpdateInput!) {
    agentSessionUpdate(id: $id, input: $input) { success }
  }`,
  { agentSessionUpdate: Success },
);

export const DELEGATE_OF_ISSUE = operation(
  `query DelegateOfIssue($id: String!) { issue(id: $id) { delegate { id } } }`,
  { issue: z.looseObject({ delegate: Ref.nullish() }) },
);

export const SET_DELEGATE = operation(
  `mutation SetDelegate($id: String!, $delegateId: String!) {
    issueUpdate(id: $id, input: { delegateId: $delegateId }) { success }
  }`,
  { issueUpdate: Success },
);
