import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'preact/hooks';
import { unreadQuery } from '../../api/queries.ts';
import { markIssueRead } from './queries.ts';

/** Whoever looks at an issue has read what was told of it, also what is told meanwhile. */
export function useIssueRead(identifier: string): void {
  const client = useQueryClient();
  const { data } = useQuery(unreadQuery);
  const unread = data?.unreadCount ?? 0;
  // One may have come while another was read: then there are as many as before.
  const newest = data?.notifications[0]?.id;
  useEffect(() => {
    const read = async () => {
      if (unread === 0 || document.visibilityState !== 'visible') return;
      // It stays unread where that fails: nobody asked for it in words, so nobody is told.
      const { updated } = await markIssueRead(identifier).catch(() => ({ updated: 0 }));
      if (updated > 0) await client.invalidateQueries({ queryKey: ['notifications'] });
    };
    const onShown = () => void read();
    onShown();
    document.addEventListener('visibilitychange', onShown);
    return () => document.removeEventListener('visibilitychange', onShown);
  }, [client, identifier, unread, newest]);
}
