import type { Notification, NotificationType } from '@switchyard/shared/api/notification';
import type { ChatMessage } from '../../integrations/chat/chat.ts';

const TITLES: Readonly<Record<NotificationType, string>> = {
  issue_claimed: 'Issue picked up',
  worker_launched: 'Agent started',
  worker_completed: 'Agent finished',
  worker_retry: 'Agent failed, retrying',
  worker_failed: 'Agent failed',
  input_requested: 'An agent asks a question',
  pull_request_opened: 'Pull request to review',
  alert_fired: 'Alert',
  automation_failed: 'Automation failed',
};

/** A notification as a chat message. `origin` is this service's public address for links. */
export function chatMessage(
  notification: Pick<
    Notification,
    'type' | 'severity' | 'message' | 'issue' | 'attempt' | 'metadata' | 'timestamp'
  >,
  origin: string | null,
): ChatMessage {
  const { issue, attempt, metadata = {} } = notification;
  const detail = (label: string, value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? [{ label, value: String(value) }] : [];
  return {
    title: metadata['test'] === true ? 'Test message' : TITLES[notification.type],
    severity: notification.severity,
    text: notification.message,
    issue:
      issue === null
        ? null
        : { identifier: issue.identifier, title: issue.title, state: issue.state, url: issue.url },
    details: [
      ...detail('Attempt', attempt),
      ...detail('Severity', metadata['severity'] ?? notification.severity),
      ...detail('Failure', metadata['failureKind']),
      ...detail('Next retry', metadata['nextRetryAt']),
      ...detail('Rule', metadata['ruleName']),
      ...detail('Automation', metadata['automationName']),
      ...detail('Time', notification.timestamp),
    ],
    links: linksOf(notification, origin),
  };
}

function linksOf(
  { type, issue, metadata = {} }: Pick<Notification, 'type' | 'issue' | 'metadata'>,
  origin: string | null,
): ChatMessage['links'] {
  const links: ChatMessage['links'] = [];
  const page =
    origin === null || issue === null
      ? null
      : `${origin}/issues/${encodeURIComponent(issue.identifier)}`;
  const review = metadata['pullRequestUrl'];
  if (typeof review === 'string') links.push({ label: 'Review', url: review });
  if (page !== null)
    links.push({ label: type === 'input_requested' ? 'Answer' : 'Open', url: page });
  if (issue !== null && issue.url !== null) links.push({ label: 'In the tracker', url: issue.url });
  if (issue === null && origin !== null) links.push({ label: 'Open', url: origin });
  return links;
}
