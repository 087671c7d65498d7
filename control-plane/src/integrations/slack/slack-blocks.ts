import type { ChatMessage } from '../chat/chat.ts';
import { escapeMrkdwn, mrkdwnLink, plainText } from './mrkdwn.ts';

/** Limits of Block Kit with a margin. Source: Slack's reference of blocks. */
const MAX_HEADER_CHARS = 150;
const MAX_SECTION_CHARS = 2_900;
const MAX_FIELD_CHARS = 500;
const MAX_FIELDS = 8;
const MAX_FALLBACK_CHARS = 500;

type Mrkdwn = { type: 'mrkdwn'; text: string; verbatim: true };
type Block =
  | { type: 'header'; text: { type: 'plain_text'; text: string; emoji: false } }
  | { type: 'section'; text: Mrkdwn }
  | { type: 'section'; fields: Mrkdwn[] }
  | { type: 'context'; elements: Mrkdwn[] };

export type SlackMessage = { text: string; blocks: Block[] };

/** A message as Slack blocks: header, issue, description, details, links. */
export function slackBlocks(message: ChatMessage): SlackMessage {
  const { issue } = message;
  const title = issue === null ? message.title : `${message.title}: ${issue.identifier}`;
  const details = message.details.slice(0, MAX_FIELDS);
  const links = message.links.flatMap(({ label, url }) => mrkdwnLink(url, label) ?? []);
  return {
    text: `${escapeMrkdwn(title, MAX_HEADER_CHARS)} – ${escapeMrkdwn(message.text, MAX_FALLBACK_CHARS)}`,
    blocks: [
      {
        type: 'header',
        text: { type: 'plain_text', text: plainText(title, MAX_HEADER_CHARS), emoji: false },
      },
      ...(issue === null ? [] : [section(issueLine(issue))]),
      ...(message.text.trim() === ''
        ? []
        : [section(escapeMrkdwn(message.text, MAX_SECTION_CHARS))]),
      ...(details.length === 0
        ? []
        : [
            {
              type: 'section' as const,
              fields: details.map(({ label, value }) =>
                mrkdwn(`*${escapeMrkdwn(label, 50)}*\n${escapeMrkdwn(value, MAX_FIELD_CHARS)}`),
              ),
            },
          ]),
      ...(links.length === 0
        ? []
        : [{ type: 'context' as const, elements: [mrkdwn(links.join('  ·  '))] }]),
    ],
  };
}

function issueLine(issue: NonNullable<ChatMessage['issue']>): string {
  const link = issue.url === null ? null : mrkdwnLink(issue.url, issue.identifier);
  const state = issue.state === null ? '' : ` (${escapeMrkdwn(issue.state, 100)})`;
  const title = escapeMrkdwn(issue.title.replace(/\s+/g, ' '), 300);
  return `*${link ?? escapeMrkdwn(issue.identifier, 100)}* ${title}${state}`;
}

function section(text: string): Block {
  return { type: 'section', text: mrkdwn(text) };
}

/** `verbatim` keeps Slack from turning plain words into links and mentions. */
function mrkdwn(text: string): Mrkdwn {
  return { type: 'mrkdwn', text, verbatim: true };
}
