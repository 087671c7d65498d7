import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { Chat } from '../chat/chat.ts';
import { postJson } from '../chat/post-json.ts';
import { slackBlocks } from './slack-blocks.ts';

/** Slack through an incoming webhook. */
export const slackChat: Chat = {
  send: (webhookUrl, message, timeoutMs) =>
    postJson({ url: webhookUrl, body: toJson(slackBlocks(message)), timeoutMs }),
};
