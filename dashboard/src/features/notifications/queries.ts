import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';

export const notificationsQuery = (unreadOnly: boolean) =>
  infiniteQueryOptions({
    queryKey: ['notifications', unreadOnly ? 'unread' : 'all'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const unread = unreadOnly ? { unread: 'true' as const } : {};
      const cursor = pageParam === '' ? {} : { cursor: pageParam };
      return answer(api.notifications.$get({ query: { ...unread, ...cursor } }, until(signal)));
    },
    getNextPageParam: (page) => page.nextCursor,
  });

export const channelsQuery = queryOptions({
  queryKey: ['notification-channels'],
  queryFn: ({ signal }) => answer(api.notifications.channels.$get({}, until(signal))),
});

export const markRead = (id: string) =>
  answer(api.notifications[':id'].read.$post({ param: { id: at(id) } }));

export const markAllRead = () => answer(api.notifications['read-all'].$post());

export const testChannel = (channel: string) =>
  answer(api.notifications.test.$post({ query: { channel } }));
