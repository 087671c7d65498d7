import { slackChat } from './slack/slack-chat.ts';
import type { Chat } from './chat/chat.ts';

/** The chat product behind channels of type `chat`. */
export const chatInUse: Chat = slackChat;
