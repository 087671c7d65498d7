import type { Notice } from '@switchyard/shared/api/work/state';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import { ActionLink } from '../../../ui/action-link.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Due } from '../../../ui/marks/ago.tsx';
import { Button } from '../../../ui/button.tsx';

/** A warning about the service with its fix, and a button that dismisses it. */
export function NoticeBanner({ notice, onDismiss }: { notice: Notice; onDismiss: () => void }) {
  const { cause, next, action } = REASON_CATALOGUE[notice.code];
  return (
    <div class="banner warning" role="status">
      <Icon name="warning" size={14} />
      <span class="grow">
        <strong>{cause}</strong> {notice.detail !== null && <>{notice.detail} </>}
        {next}
        {notice.until !== null && (
          <>
            {' '}
            Next retry <Due at={notice.until} />.
          </>
        )}
      </span>
      <ActionLink action={action} identifier="" />
      <Button small aria-label={`Dismiss: ${cause}`} onClick={onDismiss}>
        Dismiss
      </Button>
    </div>
  );
}
