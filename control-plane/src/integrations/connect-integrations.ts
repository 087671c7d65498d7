import type { Connected, Integration, IntegrationParts } from './integration.ts';
import { githubIntegration } from './github/github-integration.ts';
import { redactOutgoing } from './redact-outgoing.ts';
import { linearIntegration } from './linear/linear-integration.ts';
import { localIntegration } from './local/local-integration.ts';
import { reportIntegration } from './report/report-integration.ts';
import { slackChat } from './slack/slack-chat.ts';
import type { Chat } from './chat/chat.ts';

/** Every provider. If several code hosts serve a repository, the first one is used. */
const INTEGRATIONS: readonly Integration[] = [
  localIntegration,
  reportIntegration,
  linearIntegration,
  githubIntegration,
];

export function connectIntegrations(parts: IntegrationParts): Connected[] {
  return INTEGRATIONS.map((each) => redactOutgoing(each.connect(parts), parts.redactor));
}

/** The chat product that channels of type `chat` use. */
export const chatInUse: Chat = slackChat;
