import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Ago } from '../../../ui/marks/ago.tsx';
import { AwayBanner } from './away-banner.tsx';
import { BannerFold } from './banner-fold.tsx';
import { useDismissedNotices } from './use-dismissed-notices.ts';
import { DemoBanner } from './demo-banner.tsx';
import { NoticeBanner } from './notice-banner.tsx';
import { TrialBanner } from './trial-banner.tsx';
import { useResume } from './use-resume.ts';
import { Button } from '../../../ui/button.tsx';

/** Banners of every page, the most urgent first: pauses and lasting warnings. */
export function Banners() {
  const { data, isPending } = useQuery(stateQuery);
  const resume = useResume();
  const { isDismissed, dismiss } = useDismissedNotices(data?.notices ?? []);
  if (data === undefined)
    return (
      <div class={isPending ? 'banners awaited' : 'banners'}>
        <AwayBanner />
      </div>
    );
  return (
    <BannerFold>
      <AwayBanner />
      {data.paused !== null && (
        <div class="banner paused" role="status">
          <Icon name="pause" size={14} />
          <span class="grow" dir="auto">
            <strong>Paused</strong> <Ago at={data.paused.since} />: {data.paused.reason}
          </span>
          <Button small onClick={resume}>
            Resume
          </Button>
        </div>
      )}
      <DemoBanner />
      <TrialBanner />
      {data.notices
        .filter(({ id }) => !isDismissed(id))
        .map((notice) => (
          <NoticeBanner key={notice.id} notice={notice} onDismiss={() => dismiss(notice.id)} />
        ))}
    </BannerFold>
  );
}
