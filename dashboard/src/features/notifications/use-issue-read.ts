import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'preact/hooks';
import { unreadQuery } from '../../api/queries.ts';
import { markIssueRead } from './queries.ts';

/** Viewing an issue marks its notifications as read, also those that arrive meanwhile. */
export function useIssueRead(identifier: string): void {
  const client = useQueryClient();
  const { data } = useQuery(unreadQuery);
  const unread = data?.unreadCount ?? 0;
  // One may have arrived while another was marked: then their number is unchanged.
  const newest = data?.notifications[0]?.id;
  useEffect(() => {
    const read = async () => {
      if (unread === 0 || document.visibilityState !== 'visible') return;
      // After a failure it stays unread: the person did not request this, so nothing is shown.
      const { updated } = await markIssueRead(identifier).catch(() => ({ updated: 0 }));
      if (updated > 0) await client.invalidateQueries({ queryKey: ['notifications'] });
    };
    const onShown = () => void read();
    onShown();
    document.addEventListener('visibilitychange', onShown);
    return () => document.removeEventListener('visibilitychange', onShown);
  }, [client, identifier, unread, newest]);
}
