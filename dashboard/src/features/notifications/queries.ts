import { withId, answer, api } from '../../api/api.ts';
import { readQuery, pagedQuery } from '../../api/read-query.ts';

export const notificationsQuery = (unreadOnly: boolean) =>
  pagedQuery(['notifications', unreadOnly ? 'unread' : 'all'], (cursor, end) => {
    const query = { ...cursor, ...(unreadOnly ? { unread: 'true' as const } : {}) };
    return answer(api.notifications.$get({ query }, end));
  });

export const channelsQuery = readQuery(['notification-channels'], (end) =>
  api.notifications.channels.$get({}, end),
);

export const markRead = (id: string) => answer(api.notifications[':id'].read.$post(withId(id)));

export const markAllRead = () => answer(api.notifications['read-all'].$post({ query: {} }));

export const markIssueRead = (issue: string) =>
  answer(api.notifications['read-all'].$post({ query: { issue } }));

export const testChannel = (channel: string) =>
  answer(api.notifications.test.$post({ query: { channel } }));
