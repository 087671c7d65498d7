import { slackChat } from './slack/slack-chat.ts';
import type { Chat } from './chat/chat.ts';

/** The chat product that channels of type `chat` use. */
export const chatInUse: Chat = slackChat;
