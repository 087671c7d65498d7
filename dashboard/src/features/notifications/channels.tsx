import type { NotificationChannelHealth } from '@switchyard/shared/api/notification';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { plural } from '../../format/format-count.ts';
import { Badge, type Tone } from '../../ui/marks/badge.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { channelsQuery, testChannel } from './queries.ts';

const STATUS: Record<NotificationChannelHealth['status'], { word: string; tone: Tone }> = {
  ok: { word: 'Working', tone: 'good' },
  failing: { word: 'Failing', tone: 'bad' },
  unused: { word: 'Not used yet', tone: 'quiet' },
};

/**
 * The channels that deliver notifications beside this page, with their health and a test button.
 */
export function Channels() {
  const channels = useQuery(channelsQuery);
  return (
    <section class="channels" aria-labelledby="channels-title">
      <h2 id="channels-title">Channels</h2>
      <QueryView query={channels} skeletonLines={2}>
        {(list) =>
          list.channels.length === 0 ? (
            <p class="quiet">
              No external channels. Add a chat or webhook channel in the{' '}
              <Link to="/config" search={{ section: 'notifications' }}>
                notification settings
              </Link>
              .
            </p>
          ) : (
            <ul class="rows panel">
              {list.channels.map((channel) => (
                <ChannelRow key={channel.name} channel={channel} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </section>
  );
}

function ChannelRow({ channel }: { channel: NotificationChannelHealth }) {
  const { word, tone } = STATUS[channel.status];
  return (
    <li>
      <Badge tone={tone}>{word}</Badge>
      <div class="grow wrap">
        <p>
          <strong>{channel.name}</strong> <span class="tag">{channel.type}</span>{' '}
          <span class="tag">{channel.verbosity}</span>
        </p>
        <p class="quiet">
          {plural(channel.delivered, 'message')} delivered, {channel.pending} queued, {channel.dead}{' '}
          dead
          {channel.lastSuccessAt !== null && (
            <>
              {' '}
              · last <Ago at={channel.lastSuccessAt} />
            </>
          )}
        </p>
        {channel.lastError !== null && channel.failuresInARow > 0 && (
          <p class="problem">{channel.lastError}</p>
        )}
      </div>
      <ActionButton
        small
        aria-label={`Send test message over ${channel.name}`}
        action={() => testChannel(channel.name)}
        busy="Sending"
        done={`${channel.name}: test message delivered.`}
        stale={[channelsQuery.queryKey]}
      >
        Send test
      </ActionButton>
    </li>
  );
}
